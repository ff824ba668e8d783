"""Files: what is written so that it can be read again, by us or by others."""

"""The long verification: ``make verify`` tries to prove the package wrong, and writes down what happened."""

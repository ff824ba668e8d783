"""How much an experiment computes unless asked otherwise; the command line shows it without loading the experiments."""

FULL, QUICK = 50, 5  # repeats
N_WARMUP, N_DRAWS = 250, 500  # sweeps of every sampler

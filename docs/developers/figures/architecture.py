"""The layers of the package, from the entry points at the top to the errors at the bottom."""

import matplotlib.pyplot as plt

LAYERS = [
    ("entry points", "cli · estimators · external · notes", "what users call; no mathematics"),
    ("workflow", "workflow · quick_look · chain_jobs", "settings + data → folder → draws → answers → report"),
    ("presentation", "report · io · plots · narrative · comparing", "pages, files, figures, sentences"),
    ("answers", "analysis · mode_analysis · summarize · backtesting", "from draws to answers"),
    ("runs", "chains · rounds · trials · choosing · checkpoint · hosts", "several chains, until they agree"),
    ("one chain", "sampler · moves · start · recording · stopping", "Algorithm 1 on one screen"),
    ("state", "state · node_state · density · draws_file", "where a chain is, and how probable that is"),
    ("mathematics", "model · kernels · data", "plain numpy, its compiled twin, validated input"),
    ("settings", "params · priors · declare · errors", "each setting and each fault, declared once"),
]
COLOURS = plt.get_cmap("Blues")

fig, ax = plt.subplots(figsize=(8.2, 5.2))
for i, (name, modules, idea) in enumerate(LAYERS):
    y = len(LAYERS) - i
    ax.barh(y, 8.2, left=0, height=0.82, color=COLOURS(0.12 + 0.05 * i), edgecolor="#345", linewidth=0.6)
    ax.text(0.12, y, name, va="center", weight="bold", size=9.5)
    ax.text(1.6, y + 0.16, modules, va="center", size=8.5, family="monospace")
    ax.text(1.6, y - 0.2, idea, va="center", size=8.5, color="#345")
ax.annotate("", xy=(8.45, 0.7), xytext=(8.45, 9.3), arrowprops={"arrowstyle": "-|>", "color": "#345"})
ax.text(8.6, 5, "imports go down only", rotation=270, va="center", size=9, color="#345")
ax.set(xlim=(0, 8.9), ylim=(0.4, 9.6))
ax.axis("off")
fig.tight_layout()

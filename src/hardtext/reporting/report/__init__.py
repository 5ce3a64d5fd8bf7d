"""``report.html``: a set of runs as one page that needs nothing outside itself.

reading.py (folders → runs) → measuring.py (runs → numbers) → scenario.py (with flags and names: a section)
→ drawing.py (figures.py → svg.py) and embedding.py (../diff.py, characters.py) → page.py with report.html.jinja, report.css
and report.js.
"""

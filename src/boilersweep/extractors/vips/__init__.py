"""VIPS: the visual block of a page, as headless Chromium draws it, that holds most of its text.

Source: Cai, Yu, Wen and Ma, VIPS: a Vision-based Page Segmentation Algorithm, Microsoft Research
MSR-TR-2003-79, 2003. We did not have the report: the rules are as its open implementations and the
literature number and word them. They leave open above all every threshold and weight; our decisions
are stated where they are used.

browser    one headless Chromium without network, scripts and files; measure.js measures in it
blocks     the nodes of a drawn page that are visual blocks (section 4.1), the separators between
           them (4.2), and regions of a wanted coherence (4.3)
extractor  the choice of the region that is the page's content
"""

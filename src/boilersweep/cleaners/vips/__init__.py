"""VIPS: a page's visual blocks, from its elements and where a browser draws them.

Source: Cai, Yu, Wen and Ma, VIPS: a Vision-based Page Segmentation Algorithm, Microsoft Research
MSR-TR-2003-79, 2003. The report itself was not at hand: the rules are as its open implementations
and the literature number and word them. What these leave open, above all every threshold and
weight, is decided here and stated where it is.

nodes         what the rules see of a page: its nodes with their boxes (section 4.1, definitions)
extraction    which nodes are visual blocks, and how coherent each is (section 4.1)
construction  separators between them (section 4.2), blocks of a wanted coherence (section 4.3)
cleaner       the one of these that is the page's content
"""

"""VIPS: a page's visual blocks, from its elements and where a browser draws them.

Source: Cai, Yu, Wen and Ma, VIPS: a Vision-based Page Segmentation Algorithm, Microsoft Research
MSR-TR-2003-79, 2003. We did not have the report: the rules are as its open implementations and the
literature number and word them. They leave open above all every threshold and weight; our decisions
are stated where they are used.

nodes         the rules' view of a page: its nodes with their boxes (section 4.1, definitions)
extraction    which nodes are visual blocks, and how coherent each is (section 4.1)
construction  separators between them (section 4.2), blocks of a wanted coherence (section 4.3)
cleaner       the choice of the block that is the page's content
"""

"use strict";

// A small picture of a page as a browser drew it, above its blocks: numbers alone, no text of it.
(() => {
  const { make } = topics;
  const WIDTH = __WIDTH__;
  const FATES = ["dropped", "kept"];
  const show = evidence.show;
  let pictures = null;
  let latest = null;

  async function unpack() {
    const packed = document.getElementById("picture-data").textContent.trim();
    const bytes = Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  function draw(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // Lines that rise or fall, so that paper without colours tells them apart.
  function hatching(fate) {
    const colour = `var(--${fate})`;
    return draw("pattern", {
      id: `picture-${fate}`, width: 4, height: 4, patternUnits: "userSpaceOnUse",
      patternTransform: `rotate(${fate === "kept" ? 45 : -45})`,
    },
    draw("rect", { width: 4, height: 4, "fill-opacity": 0.2, style: `fill: ${colour}` }),
    draw("rect", { width: 0.8, height: 4, "fill-opacity": 0.75, style: `fill: ${colour}` }));
  }

  function key(fate) {
    const said = make("span");
    const sample = draw("path", { class: fate, d: "M1 1h38v16h-38z" });
    const drawing = draw("svg", { viewBox: "0 0 40 18", "aria-hidden": "true" });
    drawing.append(draw("defs", {}, hatching(fate)), sample);
    said.append(drawing, fate);
    return said;
  }

  function panel(picture, place) {
    const [count, kept] = picture.kept[place];
    const paths = ["", ""];
    let top = 0;
    for (let n = 0; n < kept.length; n += 1) {
      const [left, down, width, height] = picture.boxes.slice(4 * n, 4 * n + 4);
      top += down;
      paths[kept[n]] += `M${left} ${top}h${width}v${height}h${-width}z`;
    }
    const figure = make("figure");
    const caption = make("figcaption");
    const said = `${count} of ${picture.blocks} blocks kept`;
    caption.append(make("bdi", topics.nameOf(place)), `: ${said}`);
    const drawing = draw("svg", {
      viewBox: `0 0 ${WIDTH} ${picture.height}`, role: "img",
      "aria-label": `The page as drawn, ${said} by ${topics.nameOf(place)}`,
    });
    // What is dropped lies below what is kept.
    paths.forEach((d, n) => drawing.append(draw("path", { class: FATES[n], d })));
    figure.append(caption, drawing);
    return figure;
  }

  function remark(picture) {
    const without = [
      [picture.unseen, "that nobody sees on the page"],
      [picture.outside, "below or beside what is shown"],
      [picture.small, "that are the smallest"],
    ].filter(([count]) => count).map(([count, what]) => `${count} ${what}`);
    return (picture.merged ? "Of so many blocks, neighbours that are treated alike are drawn as one. " : "") +
      (without.length ? `Blocks left out: ${without.join(", ")}.` : "");
  }

  function view(picture, place) {
    const both = make("div", undefined, "pictures");
    both.tabIndex = 0;
    both.setAttribute("role", "group");
    both.setAttribute("aria-label", "Where the blocks stand on the page, for two cleaners");
    both.append(panel(picture, 0), panel(picture, place));
    const legend = make("p", undefined, "caption picture-key");
    legend.append(key("kept"), " ", key("dropped"), " ", remark(picture));
    return [legend, both];
  }

  evidence.show = async (state, scores) => {
    latest = state;
    await show(state, scores);
    const page = document.querySelector("#evidence-body .page");
    if (!page || latest !== state) return;
    pictures ??= await unpack();
    if (!page.isConnected || page.querySelector(".picture-key")) return;
    const picture = Object.hasOwn(pictures, state.docid) ? pictures[state.docid] : undefined;
    const has = picture && Object.hasOwn(picture.kept, state.place);
    const why = picture === null ? "The browser did not draw this page." : "The picture of this page was left out for its size.";
    const parts = has ? view(picture, state.place) : [make("p", why, "caption picture-key")];
    page.querySelector("iframe").before(...parts);
  };
})();

"use strict";

// Text of documents: as textContent only, and whole pages in a frame where no script can run.
const evidence = (() => {
  const head = document.getElementById("evidence-head");
  const body = document.getElementById("evidence-body");
  const { make } = topics;
  let unpacked = null;

  async function unpack() {
    const packed = document.getElementById("evidence-data").textContent.trim();
    const bytes = Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  // Names come from collections: one may be that of a property every object has.
  const own = (object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined);
  const pageOf = (docid, place) => {
    const page = own(unpacked.pages, docid);
    return page && own(page.kept, place) !== undefined ? page : undefined;
  };
  const grades = (grade) =>
    grade === null ? "not judged" : grade > 0 ? `relevant, ${grade}` : "not relevant";
  const rankText = ([before, after]) =>
    `rank ${before ?? "beyond the run"} \u2192 ${after ?? "beyond the run"}`;

  function fate(kept, cleaner) {
    const [before, after] = kept.map(Boolean);
    if (before && after) return "kept";
    if (before) return `dropped by ${cleaner}`;
    if (after) return `kept by ${cleaner} alone`;
    return "dropped by both";
  }

  function snippet(parts) {
    const text = make("bdi");
    text.dir = "auto";
    parts.forEach((part, n) => text.append(n % 2 ? make("mark", part) : part));
    return text;
  }

  function matchItem(match, cleaner) {
    const item = make("li", undefined, match.kept[1] ? "kept" : "dropped");
    item.append(make("span", `block ${match.block + 1}, ${fate(match.kept, cleaner)}`, "what"));
    item.append(snippet(match.snippet));
    return item;
  }

  function matchList(found, cleaner) {
    const details = make("details");
    const dropped = found.matches.filter((match) => match.kept[0] && !match.kept[1]).length;
    const blocks = found.matches.length === 1 ? "1 matching block" : `${found.matches.length} matching blocks`;
    const note = `${blocks}, ${dropped || "none"} dropped`;
    const items = make("ul", undefined, "matches");
    items.append(...found.matches.map((match) => matchItem(match, cleaner)));
    details.append(make("summary", note), items);
    return details;
  }

  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

  function commandFor(state) {
    const cleaners = quoted([topics.baseline, topics.nameOf(state.place)].join(","));
    const details = make("details");
    const command = `${topics.explain} --topic ${quoted(state.topic.id)} --cleaners ${cleaners}`;
    details.append(make("summary", "Command that shows it"), make("code", command));
    return details;
  }

  function documentItem(found, state) {
    const cleaner = topics.nameOf(state.place);
    const item = make("li");
    const page = pageOf(found.docid, state.place);
    const name = make(page ? "a" : "span", found.docid, "docid");
    if (page) {
      name.href = topics.address(state.topic.id, found.docid);
      name.setAttribute("aria-label", `page ${found.docid}`);
    }
    const isolated = make("bdi");
    isolated.append(name);
    isolated.append(" ", make("bdi", found.title || "(no title)", "title"));
    item.append(isolated, make("span", grades(found.grade), found.grade > 0 ? "badge relevant" : "badge"));
    if (found.verdict) item.append(make("span", `a ${found.verdict}`, `badge ${found.verdict}`));
    const moved = found.change === "entered" || found.change === "left";
    const leftOut = moved && !page;
    if (leftOut) item.append(make("span", "page left out for its size", "badge"));
    item.append(make("p", rankText(found.rank)));
    if (found.sentence) item.append(make("p", found.sentence));
    if (found.matches.length) {
      const passage = make("p", undefined, "passage");
      passage.append(snippet(found.matches[0].snippet));
      item.append(passage);
    }
    if (moved && found.matches.length) item.append(matchList(found, cleaner));
    if (leftOut) item.append(commandFor(state));
    return item;
  }

  function documentList(title, found, state) {
    if (!found.length) return [];
    const list = make("ul", undefined, "documents");
    list.append(...found.map((one) => documentItem(one, state)));
    return [make("h4", `${title} (${found.length})`), list];
  }

  function topicView(explained, state, scores) {
    const cleaner = topics.nameOf(state.place);
    const figures = make("ul", undefined, "figures");
    const { judged, relevant } = state.topic;
    const lines = [...scores, `${relevant} relevant of ${judged} judged`];
    figures.append(...lines.map((line) => make("li", line)));
    const parts = [figures];
    if (topics.roleOf(state.place) === "run") {
      parts.push(make("p", `${cleaner} is a run from elsewhere: of its hits no blocks are known, so there is no evidence to show.`));
      return parts;
    }
    if (!explained) {
      parts.push(make("p", `The report holds no evidence for this topic with ${cleaner}; this command shows it:`));
      parts.push(commandFor(state));
      return parts;
    }
    const terms = make("p", "Terms ");
    terms.append(...explained.terms.map((term) => make("bdi", term, "term")));
    parts.push(terms);
    const by = (...changes) => explained.documents.filter((one) => changes.includes(one.change));
    const list = (title, found) => documentList(title, found, state);
    parts.push(...list("Entered the top 10", by("entered")));
    parts.push(...list("Left the top 10", by("left")));
    const stayed = list("Stayed in the top 10", by("moved", "same"));
    if (stayed.length) {
      const details = make("details");
      details.append(make("summary", stayed[0].textContent), stayed[1]);
      parts.push(details);
    }
    return parts;
  }

  const FRAME_STYLE = `:root{color-scheme:light dark}body{margin:0;padding:.75rem 1rem;font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
p{margin:.35rem 0;padding-left:.7rem;border-left:3px solid #2f8757;unicode-bidi:isolate;overflow:hidden}
p.dropped{border-left:3px dashed #c04a3c;color:#6b665e}p small{display:block;color:#b0402f;font-size:.72rem}
@media(prefers-color-scheme:dark){body{background:#1b1e23;color:#eceae6}p.dropped{color:#9c988f}p small{color:#f0907f}}
mark{background:#e9cf7a;color:#000;border-radius:2px}`;

  function pageDocument(page, state, found) {
    const inner = document.implementation.createHTMLDocument("");
    const policy = inner.createElement("meta");
    policy.setAttribute("http-equiv", "Content-Security-Policy");
    policy.setAttribute("content", "default-src 'none'; style-src 'unsafe-inline'");
    const style = inner.createElement("style");
    style.textContent = FRAME_STYLE;
    inner.head.append(policy, style);
    const snippets = new Map((found?.matches ?? []).map((match) => [match.block, match.snippet]));
    const cleaner = topics.nameOf(state.place);
    const kept = [page.kept["0"], page.kept[state.place]];
    let before = "";
    // The view opens at the first match: what comes before it, mostly menus, can be unfolded.
    const first = Math.min(...snippets.keys());
    const isFolded = first > 1 && first < page.texts.length;
    const above = inner.createElement("details");
    if (isFolded) {
      const summary = inner.createElement("summary");
      summary.textContent = `${first} blocks before the first match`;
      above.append(summary);
      inner.body.append(above);
    }
    page.texts.forEach((text, n) => {
      const verdicts = kept.map((one) => one[n] === "1");
      const block = inner.createElement("p");
      block.dir = "auto";
      if (!verdicts[1]) block.className = "dropped";
      const said = fate(verdicts, cleaner);
      if (said !== before && !(verdicts[0] && verdicts[1])) {
        const label = inner.createElement("small");
        label.dir = "ltr";
        label.textContent = said;
        block.append(label);
      }
      before = said;
      (snippets.get(n) ?? [text]).forEach((part, place) => {
        const piece = inner.createElement(place % 2 ? "mark" : "span");
        piece.textContent = part;
        block.append(piece);
      });
      (isFolded && n < first ? above : inner.body).append(block);
    });
    return "<!doctype html>" + inner.documentElement.outerHTML;
  }

  // The page's blocks with their words, and where each cleaner keeps them.
  function drawBlocks(place, page, state) {
    const chart = JSON.parse(document.getElementById("chart-data").textContent).page;
    const own = page.words.flatMap((words, n) => (words === null ? [] : [{ start: n, end: n + 1, words }]));
    const strips = [["0", topics.baseline], [state.place, topics.nameOf(state.place)]].flatMap(([at, name]) =>
      own.filter(({ start }) => page.kept[at][start] === "1").map(({ start, end }) => ({ cleaner: name, start, end })));
    vegaEmbed(place, { ...chart, datasets: { blocks: own, strips } }, HOW);
  }

  function pageView(state, found) {
    const page = pageOf(state.docid, state.place);
    const cleaner = topics.nameOf(state.place);
    const section = make("div", undefined, "page");
    const back = make("a", "Back to the topic");
    back.href = topics.address(state.topic.id);
    const kept = [...page.kept[state.place]].filter((one) => one === "1").length;
    const note = make("p", `${kept} of ${page.texts.length} blocks kept by ${cleaner}; dropped ones are marked. Long blocks are cut.`);
    const frame = make("iframe");
    frame.setAttribute("sandbox", "");
    frame.setAttribute("referrerpolicy", "no-referrer");
    frame.title = "Blocks of the page, kept and dropped";
    frame.srcdoc = pageDocument(page, state, found);
    const parts = [back, note];
    if (found?.sentence) parts.push(make("p", found.sentence));
    const title = make("h4");
    title.append(make("bdi", page.title, "title"));
    if (page.title) parts.splice(1, 0, title);
    const drawn = make("div", undefined, "drawing");
    drawn.setAttribute("role", "img");
    drawn.setAttribute("aria-label", `Words of the page's blocks, and where ${topics.baseline} and ${cleaner} keep them`);
    drawBlocks(drawn, page, state);
    section.append(...parts, drawn, frame);
    return section;
  }

  async function isUnpacked() {
    if (!globalThis.DecompressionStream) {
      body.textContent = "This browser is too old to unpack the evidence.";
      return false;
    }
    unpacked ??= await unpack();
    return true;
  }

  function explainedOf(state) {
    const cleaner = unpacked.cleaners.find((one) => one.place === state.place);
    return own(cleaner?.topics, state.topic.id);
  }

  // Some topics one below the other, as long as none is chosen: [title, state, scores] of each.
  async function open(extremes) {
    if (!(await isUnpacked())) return;
    head.textContent = "Evidence";
    body.replaceChildren(...extremes.map(([title, state, scores]) => {
      const section = make("section", undefined, "extreme");
      const name = make("h4", `${title}: `, "topic");
      const link = make("a", state.topic.id);
      link.href = topics.address(state.topic.id);
      name.append(link, " ", make("bdi", state.topic.query));
      section.append(name, ...topicView(explainedOf(state), state, scores));
      return section;
    }));
    if (!extremes.length) body.append(make("p", "No topic differs from the baseline."));
  }

  async function show(state, scores) {
    if (!(await isUnpacked())) return;
    const explained = explainedOf(state);
    head.replaceChildren(make("span", state.docid ?? state.topic.id));
    if (state.docid && pageOf(state.docid, state.place)) {
      const found = explained?.documents.find((one) => one.docid === state.docid);
      body.replaceChildren(pageView(state, found));
    } else {
      head.append(" ", make("bdi", state.topic.query));
      body.replaceChildren(...topicView(explained, state, scores));
    }
    const section = document.getElementById("evidence");
    section.focus({ preventScroll: true });
    const { top } = section.getBoundingClientRect();
    if (top < 0 || top > innerHeight * 0.6) section.scrollIntoView();
  }

  return { open, show };
})();

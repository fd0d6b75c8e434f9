"use strict";

// Lexical search: BM25 of chunks, sections and documents, with propagated scores, as in
// `chunkana ask`.
class WordIndex {
  static LEVELS = [["number", 1], ["section", 0.5], ["document", 0.5]]; // and their weights
  static SATURATION = 1.5; // k1 of BM25
  static LENGTHS = 0.75; // b of BM25
  static HITS = 60;
  static WEAK = 0.2; // hits below this share of the best score are dropped as accidental
  static PROPAGATED = 30;
  static NEAR = { section: 0.4, document: 0.2 }; // weights of the best hit of the same section or document

  // Each chunk has `embedded`, the text to index, and the numbers of its `section` and `document`.
  constructor(chunks) {
    this.chunks = chunks;
    this.counts = new Map(); // by word: the count in each chunk, by the chunk's number
    this.lengths = new Uint32Array(chunks.length);
    chunks.forEach(({ embedded }, number) => {
      const words = wordsOf(embedded);
      this.lengths[number] = words.length;
      for (const word of words) {
        const counts = this.counts.get(word) ?? new Map();
        this.counts.set(word, counts.set(number, (counts.get(number) ?? 0) + 1));
      }
    });
    this.levels = WordIndex.LEVELS.map(([name, weight]) => this.level(name, weight));
  }

  level(name, weight) {
    const groups = new Map();
    const groupOf = this.chunks.map((chunk, number) => {
      const key = name === "number" ? number : chunk[name];
      if (!groups.has(key)) groups.set(key, groups.size);
      return groups.get(key);
    });
    const lengths = new Float64Array(groups.size);
    groupOf.forEach((group, number) => (lengths[group] += this.lengths[number]));
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    return { weight, groupOf, lengths, mean };
  }

  addScores(scores, words, { weight, groupOf, lengths, mean }) {
    const { SATURATION, LENGTHS } = WordIndex;
    const ofGroup = new Float64Array(lengths.length);
    for (const word of words) {
      const counts = new Map();
      for (const [number, count] of this.counts.get(word) ?? []) {
        counts.set(groupOf[number], (counts.get(groupOf[number]) ?? 0) + count);
      }
      const rarity = Math.log(1 + (lengths.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [group, count] of counts) {
        const long = 1 - LENGTHS + (LENGTHS * lengths[group]) / mean;
        ofGroup[group] += (rarity * count) / (SATURATION * long + count);
      }
    }
    for (let number = 0; number < scores.length; number++) {
      scores[number] += weight * ofGroup[groupOf[number]];
    }
  }

  // Return the chunks found for a question, the best first.
  search(question) {
    const scores = new Float64Array(this.chunks.length);
    const words = wordsOf(question);
    for (const level of this.levels) this.addScores(scores, words, level);
    const hits = [];
    scores.forEach((score, number) => score > 0 && hits.push({ score, chunk: this.chunks[number] }));
    hits.sort((one, other) => other.score - one.score);
    const strong = hits.filter(({ score }) => score >= hits[0].score * WordIndex.WEAK);
    return this.propagated(strong.slice(0, WordIndex.HITS)).map(({ chunk }) => chunk);
  }

  propagated(hits) {
    const scores = hits.map(({ score }) => score);
    for (const [name, weight] of Object.entries(WordIndex.NEAR)) {
      const best = new Map();
      hits.slice(0, WordIndex.PROPAGATED).forEach(({ score, chunk }) => {
        best.set(chunk[name], Math.max(score, best.get(chunk[name]) ?? score));
      });
      hits.forEach(({ score, chunk }, at) => {
        scores[at] += weight * (at < WordIndex.PROPAGATED ? best.get(chunk[name]) : score);
      });
    }
    const ranked = hits.map((hit, at) => ({ ...hit, score: scores[at] }));
    return ranked.sort((one, other) => other.score - one.score);
  }
}

// Assemble passages within a budget from chunks, the best first: whole chunks that fit, neighbours
// joined, documents in the order of their best chunk, passages in document order.
function passagesOf(ranked, budget) {
  let passages = [];
  for (let most = 1; most <= ranked.length; most++) {
    const joined = joinedInOrder(ranked.slice(0, most));
    if (sizeOf(joined) > budget) break;
    passages = joined;
  }
  return passages;
}

const sizeOf = (passages) =>
  passages.reduce((sum, { text }) => sum + text.length, 2 * Math.max(0, passages.length - 1));

function joinedInOrder(chunks) {
  const order = new Map();
  for (const { document } of chunks) if (!order.has(document)) order.set(document, order.size);
  const inOrder = [...chunks].sort(
    (one, other) => order.get(one.document) - order.get(other.document) || one.place - other.place,
  );
  const groups = [];
  for (const chunk of inOrder) {
    const before = groups.at(-1)?.at(-1);
    const isNext = before?.document === chunk.document && before.place + 1 === chunk.place;
    if (isNext) groups.at(-1).push(chunk);
    else groups.push([chunk]);
  }
  return groups.map((group) => {
    const slices = group.map(({ gap, text }, at) => (at ? gap + text : text));
    return { chunks: group, text: group[0].above + slices.join("") + group.at(-1).below };
  });
}

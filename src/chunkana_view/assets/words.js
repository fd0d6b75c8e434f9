"use strict";

// Split texts of any script into words to search for, as `chunkana_retrieval.words_of` does.
const { wordsOf, findWords } = (() => {
  // Scripts without spaces between words: Thai to Khmer, kana, Han, Hangul.
  const UNSPACED =
    "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3005-\\u3007\\u3040-\\u30ff\\u3400-\\u9fff" +
    "\\uac00-\\ud7af\\uf900-\\ufaff\\uff66-\\uff9f\\u{20000}-\\u{3ffff}";
  // Combining vowels and accents, which are parts of words.
  const MARKS =
    "\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u0610-\\u061a" +
    "\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u0900-\\u0903" +
    "\\u093a-\\u094f\\u0951-\\u0957\\u0962\\u0963\\u0981-\\u0983\\u09bc-\\u09cd\\u09d7\\u09e2\\u09e3" +
    "\\u0a01-\\u0a03\\u0a3c-\\u0a51\\u0a70\\u0a71\\u0a75\\u0a81-\\u0a83\\u0abc-\\u0acd\\u0ae2\\u0ae3" +
    "\\u0b01-\\u0b03\\u0b3c-\\u0b57\\u0b82\\u0bbe-\\u0bcd\\u0bd7\\u0c00-\\u0c04\\u0c3c-\\u0c56" +
    "\\u0c81-\\u0c83\\u0cbc-\\u0cd6\\u0d00-\\u0d03\\u0d3b-\\u0d4d\\u0d57\\u0d81-\\u0d83\\u0dca-\\u0ddf" +
    "\\u0f35\\u0f37\\u0f39\\u0f71-\\u0f84\\u0f86\\u0f87\\u0f8d-\\u0fbc\\u200c\\u200d";
  const LETTER = `[[\\p{L}\\p{N}]--[${UNSPACED}]]`;
  const SPACED = `${LETTER}+(?:[${MARKS}]+${LETTER}*)*`;
  const PART = new RegExp(`[${UNSPACED}]+|${SPACED}`, "gv");
  const WORD = new RegExp(`[${UNSPACED}]+|${SPACED}(?:[\\-_]+${SPACED})*`, "gv");
  const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "v");
  const STOP_WORDS = new Set(
    `i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she
    her hers herself it its itself they them their theirs themselves what which who whom this that
    these those when where why how here there a an the some any all both each few more most other
    such no nor not only own same so than too very just now then once again further am is are was
    were be been being have has had having do does did doing can could will would shall should may
    might must ain aren couldn didn doesn don hadn hasn haven isn ll re ve wasn weren won wouldn d m
    s t and but if or because as until while of at by for with about against between into through
    during before after above below to from up down in out on off over under`.split(/\s+/u),
  );

  // Remove the most common English endings.
  function stem(word) {
    if (/ie[sd]$/u.test(word) && word.length >= 5) word = `${word.slice(0, -3)}y`;
    else if (/[^s]s$/u.test(word) && word.length > 3) word = word.slice(0, -1);
    for (const ending of ["ing", "ed"]) {
      const rest = word.endsWith(ending) ? word.slice(0, -ending.length) : word;
      if (rest === word || !/[aeiouy]/u.test(rest)) continue;
      word = rest.length > 3 && /([bdgmnprt])\1$/u.test(rest) ? rest.slice(0, -1) : rest;
      break;
    }
    return word.endsWith("e") && word.length >= 3 ? word.slice(0, -1) : word;
  }

  // The characters and character pairs of a run without spaces.
  function overlapping(run) {
    const characters = [...run];
    return characters.flatMap((one, at) => (at + 1 < characters.length ? [one, one + characters[at + 1]] : [one]));
  }

  function wordsOf(text) {
    const words = [];
    for (const [word] of text.toLowerCase().matchAll(WORD)) {
      if (IS_UNSPACED.test(word)) {
        words.push(...overlapping(word));
        continue;
      }
      const parts = word.match(PART);
      if (parts.length > 1) words.push(word);
      for (const part of parts) if (!STOP_WORDS.has(part)) words.push(stem(part));
    }
    return words;
  }

  // Return the starts and ends of the words of a question in a text.
  function findWords(text, question) {
    const wanted = new Set(wordsOf(question));
    const found = [];
    for (const { 0: part, index } of text.matchAll(PART)) {
      let start = index;
      for (const unit of IS_UNSPACED.test(part) ? part : [part]) {
        if (wordsOf(unit).some((word) => wanted.has(word))) found.push([start, start + unit.length]);
        start += unit.length;
      }
    }
    return found;
  }

  return { wordsOf, findWords };
})();

// Where one sequence occurs in another, in time that grows with their lengths and no faster. The search
// of the language is quick on most texts and takes minutes on some, and outside texts can be those.

/** Characters of a text, or numbers of lines. */
export interface Sequence {
  length: number;
  at(index: number): number;
}

/** Knuth, Morris and Pratt: how much of the needle still fits after so much of it did. */
function fallbacksOf(needle: Sequence): Int32Array {
  const fallbacks = new Int32Array(needle.length);
  for (let i = 1, fit = 0; i < needle.length; i++) {
    while (fit > 0 && needle.at(i) !== needle.at(fit)) fit = fallbacks[fit - 1]!;
    if (needle.at(i) === needle.at(fit)) fit += 1;
    fallbacks[i] = fit;
  }
  return fallbacks;
}

/** Finds the first place at or after `from`, or -1. */
export type Search = (from: number) => number;

export function searchSequence(haystack: Sequence, needle: Sequence): Search {
  let fallbacks: Int32Array | undefined;
  return (from) => {
    fallbacks ??= fallbacksOf(needle);
    for (let i = from, fit = 0; i < haystack.length; i++) {
      while (fit > 0 && haystack.at(i) !== needle.at(fit)) fit = fallbacks[fit - 1]!;
      if (haystack.at(i) === needle.at(fit)) fit += 1;
      if (fit === needle.length) return i - fit + 1;
    }
    return -1;
  };
}

/** All places, those that overlap as well. */
export function allPlacesOf(haystack: Sequence, needle: Sequence): number[] {
  const fallbacks = fallbacksOf(needle);
  const places: number[] = [];
  for (let i = 0, fit = 0; i < haystack.length; i++) {
    while (fit > 0 && (fit === needle.length || haystack.at(i) !== needle.at(fit))) {
      fit = fallbacks[fit - 1]!;
    }
    if (haystack.at(i) === needle.at(fit)) fit += 1;
    if (fit === needle.length) places.push(i - fit + 1);
  }
  return places;
}

const charactersOf = (text: string): Sequence => ({
  length: text.length,
  at: (index) => text.charCodeAt(index),
});

/** Short enough for the language's own search, which compares up to all of it at every place. */
const SHORT = 16;
/** Places that begin as the needle does and are not it; after so many the sure way is quicker. */
const PATIENCE = 64;

export function searchText(text: string, needle: string): Search {
  if (needle.length <= SHORT) return (from) => text.indexOf(needle, from);
  const start = needle.slice(0, SHORT);
  const sure = searchSequence(charactersOf(text), charactersOf(needle));
  return (from) => {
    let at = text.indexOf(start, from);
    for (let tries = 0; at >= 0 && tries < PATIENCE; tries++) {
      if (text.startsWith(needle, at)) return at;
      at = text.indexOf(start, at + 1);
    }
    return at < 0 ? -1 : sure(at);
  };
}

/** Places from left to right that do not overlap. */
export function placesOf(search: Search, length: number, from = 0): number[] {
  const places: number[] = [];
  for (let at = search(from); at >= 0; at = search(at + length)) places.push(at);
  return places;
}

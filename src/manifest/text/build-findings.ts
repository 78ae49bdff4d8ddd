// What can be wrong with a document before its fields are looked at.
import type { Finding } from './problem-list.ts';
import { coreTag } from './scalars.ts';
import { describeValue, quote } from './show.ts';
import type { Value } from './values.ts';

export function badTag(tag: string, offset: number): Finding {
  const isCore = coreTag(tag) !== undefined;
  return {
    code: 'TAG',
    message: isCore
      ? `The value does not match its tag ${tag}.`
      : `The tag ${quote(tag)} is not allowed in a manifest.`,
    hint: isCore
      ? 'Remove the tag or correct the value.'
      : 'Remove it; quote text that starts with "!".',
    path: [],
    offset,
  };
}

export function badKey(message: string, offset: number): Finding {
  return {
    code: 'KEY',
    message,
    hint: 'Use a plain text as key: "key: value".',
    path: [],
    offset,
  };
}

export function duplicateKey(key: string, offset: number, firstLine: number): Finding {
  return {
    code: 'DUPLICATE_KEY',
    message: `${quote(key)} appears twice in the same mapping; first on line ${firstLine}.`,
    hint: 'Remove or rename one of the two.',
    path: [],
    offset,
  };
}

export function badMerge(value: Value, offset: number): Finding {
  return {
    code: 'MERGE',
    message: `"<<" expects a mapping or a list of mappings, found ${describeValue(value)}.`,
    hint: 'Write "<<: *name", where &name is on a mapping.',
    path: [],
    offset,
  };
}

export function tooManyMerged(limit: number, offset: number): Finding {
  return {
    code: 'TOO_MANY_ALIASES',
    message: `"<<" copies more than ${limit} keys.`,
    hint: 'Write the values out, or merge smaller mappings.',
    path: [],
    offset,
  };
}

export function tooManyAliases(limit: number, offset: number): Finding {
  return {
    code: 'TOO_MANY_ALIASES',
    message: `There are more than ${limit} aliases (*name).`,
    hint: 'Write the values out.',
    path: [],
    offset,
  };
}

export function tooMuchAliased(limit: number, offset: number): Finding {
  return {
    code: 'TOO_MANY_ALIASES',
    message: `Aliases (*name) expand to more than ${limit} values.`,
    hint: 'Write the values out, or use anchors on smaller values.',
    path: [],
    offset,
  };
}

export function unknownAlias(name: string, offset: number): Finding {
  return {
    code: 'ALIAS',
    message: `YAML reads ${quote(`*${name}`)} as an alias, but there is no anchor ${quote(`&${name}`)}.`,
    hint: 'Quote globs and other text that starts with "*".',
    path: [],
    offset,
  };
}

export function recursiveAlias(name: string, offset: number): Finding {
  return {
    code: 'ALIAS',
    message: `The alias ${quote(`*${name}`)} refers to something that contains itself.`,
    hint: 'Write the value out.',
    path: [],
    offset,
  };
}

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
      ? `The value is not what its tag ${tag} says.`
      : `The tag ${quote(tag)} is not allowed in a manifest.`,
    hint: isCore
      ? 'Remove the tag or correct the value.'
      : 'Remove it; quote a text that begins with "!".',
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
    message: `${quote(key)} is given twice in the same mapping; the first is on line ${firstLine}.`,
    hint: 'Remove or rename one of the two.',
    path: [],
    offset,
  };
}

export function badMerge(value: Value, offset: number): Finding {
  return {
    code: 'MERGE',
    message: `"<<" takes a mapping or a list of mappings, but found ${describeValue(value)}.`,
    hint: 'Write "<<: *name", where &name marks a mapping.',
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
    message: `Aliases (*name) multiply the manifest: they stand for more than ${limit} values.`,
    hint: 'Write the values out, or mark smaller ones with &.',
    path: [],
    offset,
  };
}

export function unknownAlias(name: string, offset: number): Finding {
  return {
    code: 'ALIAS',
    message: `YAML takes ${quote(`*${name}`)} for an alias, but nothing before it is marked ${quote(`&${name}`)}.`,
    hint: 'Put a glob or any other text that begins with "*" in quotes.',
    path: [],
    offset,
  };
}

export function recursiveAlias(name: string, offset: number): Finding {
  return {
    code: 'ALIAS',
    message: `The alias ${quote(`*${name}`)} stands for something that contains itself.`,
    hint: 'Write the value out.',
    path: [],
    offset,
  };
}

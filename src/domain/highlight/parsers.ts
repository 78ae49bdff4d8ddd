// The parser of each language, loaded when a file needs it.
import type { Parser } from '@lezer/common';
import type { Language } from './endings.ts';

async function script(dialect: string): Promise<Parser> {
  const { parser } = await import('@lezer/javascript');
  return parser.configure({ dialect });
}

const PARSERS: Readonly<Record<Language, () => Promise<Parser>>> = {
  javascript: () => script('jsx'),
  typescript: () => script('ts'),
  tsx: () => script('ts jsx'),
  html: async () => (await import('@lezer/html')).parser,
  css: async () => (await import('@lezer/css')).parser,
  cpp: async () => (await import('@lezer/cpp')).parser,
  json: async () => (await import('@lezer/json')).parser,
  yaml: async () => (await import('@lezer/yaml')).parser,
  markdown: async () => (await import('@lezer/markdown')).parser,
  xml: async () => (await import('@lezer/xml')).parser,
  python: async () => (await import('@lezer/python')).parser,
  rust: async () => (await import('@lezer/rust')).parser,
  go: async () => (await import('@lezer/go')).parser,
  java: async () => (await import('@lezer/java')).parser,
};

export const loadParser = (language: Language): Promise<Parser> => PARSERS[language]();

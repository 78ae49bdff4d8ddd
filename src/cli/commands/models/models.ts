// millrace models
import type { Command } from 'commander';
import { Option } from 'commander';
import { PUBLIC_PROVIDERS } from '../../../domain/model/model-routing.ts';
import type { KnownModel } from '../../../providers/model-list.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { EXIT } from '../../exit-codes.ts';
import { note, print, styled } from '../../terminal/output.ts';
import { tableWidthOf } from '../../terminal/table.ts';
import { pad, textWidth } from '../../terminal/text-width.ts';
import { dataDirFor } from './models-folder.ts';

const PROVIDERS = [...PUBLIC_PROVIDERS, 'simulator'];

export function addModels(program: Command, act: Act): void {
  describe(program.command('models'), 'list known models with prices and limits', [
    'models',
    'models claude',
    'models --provider openrouter kimi',
    'models --update anthropic.json',
  ])
    .argument('[words...]', 'only models whose id contains these words')
    .addOption(new Option('--provider <name>', 'only models of this provider').choices(PROVIDERS))
    .option('--update <file>', 'take newer facts about models from a file or an address')
    .option('--data-dir <folder>', 'data folder of the server that will use them')
    .action(act(async () => showModels));
}

/** OpenRouter alone has hundreds: they are listed when they were asked for. */
function isAsked({ id, provider }: KnownModel, asked: { words: string[]; provider: string }) {
  const { words } = asked;
  if (asked.provider !== '' && provider !== asked.provider) return false;
  if (asked.provider === '' && words.length === 0 && provider === 'openrouter') return false;
  return words.every((word) => id.toLowerCase().includes(word.toLowerCase()));
}

const HEADS = ['INPUT', 'CACHED', 'OUTPUT', 'CONTEXT', 'MAX OUT', 'AGE'];
const GAP = '  ';

function price(usd: number | null): string {
  if (usd === null) return '-';
  // At least cents, and never less than what is charged: $0.125, $0.0375.
  return `$${usd.toFixed(4).replace(/0{1,2}$/, '')}`;
}

function size(tokens: number | null): string {
  if (tokens === null) return '-';
  if (tokens >= 1_000_000) return `${Number((tokens / 1_000_000).toFixed(1))}M`;
  return tokens >= 1000 ? `${Math.round(tokens / 1000)}k` : String(tokens);
}

const DAY_MS = 86_400_000;

function age(checkedOn: string | null): string {
  if (checkedOn === null) return '-';
  return `${Math.max(0, Math.floor((Date.now() - Date.parse(checkedOn)) / DAY_MS))}d`;
}

function figuresOf(model: KnownModel): string[] {
  const { inputUsd, cachedInputUsd, outputUsd } = model.pricePerMillion;
  const more = model.longPrompts.length > 0 ? '+' : '';
  const prices = [`${price(inputUsd)}${more}`, price(cachedInputUsd), `${price(outputUsd)}${more}`];
  const sizes = [model.contextTokens, model.maxOutputTokens].map(size);
  return [...prices, ...sizes, age(model.checkedOn)];
}

/** Current models of a provider need no more words. */
function headOf({ provider, status }: KnownModel): string {
  if (status === 'current' || provider === 'simulator') return provider;
  return `${provider}, ${status ?? 'price from a common list'}`;
}

function linesOf(models: readonly KnownModel[], width: number): string[] {
  const rows = models.map(figuresOf);
  const widths = HEADS.map((head, at) =>
    Math.max(head.length, ...rows.map((row) => row[at]!.length)),
  );
  const figures = (texts: readonly string[]) =>
    texts.map((text, at) => text.padStart(widths[at]!)).join(GAP);
  const taken = widths.reduce((sum, each) => sum + each + GAP.length, 0);
  const widest = Math.max(...models.map(({ id }) => textWidth(id)));
  const idWidth = Math.max(10, Math.min(widest, width - taken));
  const lines = [styled('dim', `${pad('MODEL', idWidth)}${GAP}${figures(HEADS)}`)];
  let head = '';
  for (const [index, model] of models.entries()) {
    if (headOf(model) !== head) {
      head = headOf(model);
      lines.push(styled('bold', head));
    }
    // An id is there to be copied: it is never cut.
    const isLong = textWidth(model.id) > idWidth;
    if (isLong) lines.push(model.id);
    lines.push(`${pad(isLong ? '' : model.id, idWidth)}${GAP}${figures(rows[index]!)}`);
  }
  return lines;
}

async function showModels(options: CommandOptions, words: string[]): Promise<number> {
  if (typeof options['update'] === 'string') {
    const { updateModels } = await import('./update-models.ts');
    return updateModels(options, options['update']);
  }
  const { useInstalledFacts } = await import('../../../providers/installed-facts.ts');
  const { listModels } = await import('../../../providers/model-list.ts');
  useInstalledFacts(dataDirFor(options));
  const provider = String(options['provider'] ?? '');
  const known = listModels(process.env['MILLRACE_PRICES_FILE'] || undefined);
  const models = known.filter((model) => isAsked(model, { words, provider }));
  if (options['json']) {
    print(JSON.stringify({ models }));
    return EXIT.ok;
  }
  if (models.length === 0) {
    note(`No known model matches. Other ids work too, as provider:model; their cost is unknown.`);
    return EXIT.ok;
  }
  for (const line of linesOf(models, tableWidthOf(process.stdout))) print(line);
  note('Prices are dollars per million tokens, looked up so many days ago.');
  note('Other ids work too; their cost is then unknown.');
  if (models.some(({ longPrompts }) => longPrompts.length > 0)) {
    note('+ Long prompts cost more; --json has from how many tokens on.');
  }
  if (provider === '' && words.length === 0) {
    note(`OpenRouter has many more: ${commandLine('models', '--provider', 'openrouter')}`);
  }
  return EXIT.ok;
}

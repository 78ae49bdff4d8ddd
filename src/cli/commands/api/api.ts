// millrace api: any route of the server, for what has no command of its own.
import type { Command } from 'commander';
import { Option } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { textOf } from '../../flag-values.ts';
import { openServer } from '../../open-client.ts';
import { parseJsonPath, selectFrom } from './json-path.ts';
import { allPages } from './pages.ts';
import { readRequest } from './read-request.ts';
import { pathOn } from './request-path.ts';
import { isJson, readJson, showAnswer, showJson, showSelected } from './show-answer.ts';

const gather = (value: string, earlier: string[] = []) => [...earlier, value];

/** Kept as `inputFile`: `input` is the value of --no-input, which every command has. */
function inputFlag(): Option {
  const flag = new Option('--input <file>', 'the whole body as JSON; - for standard input');
  flag.attributeName = () => 'inputFile';
  return flag;
}

export function addApi(program: Command, act: Act): void {
  describe(program.command('api'), 'send a request to any route of the server', [
    'api /v1/usage/current',
    "api /api/v1/jobs -f status=failed --paginate --jq-like '.items[].jobId'",
    'api PATCH /v1/webhooks/wh_01... -F active=false',
    "api POST /api/v1/api-keys -f name=ci -f 'scopes[]=jobs' -F expiresInDays=30",
    'api PUT /api/v1/history/run_01... --input run.json',
  ])
    .usage('[options] [METHOD] PATH')
    .argument('<method>', 'GET, POST, PUT, PATCH or DELETE (default: GET, or POST with a body)')
    .argument('[path]', 'a path of the server, such as /v1/executions')
    .option('-f, --field <name=value>', 'a field with a text, of the query for GET', gather)
    .option('-F, --typed-field <name=value>', 'with true, false, null, a number or @file', gather)
    .addOption(inputFlag())
    .option('--paginate', 'read all pages of a list, and print them as one')
    .option('--jq-like <path>', 'print only this part of the answer, such as .items[].id')
    .action(act(async () => callApi));
}

async function callApi(options: CommandOptions, args: string[]): Promise<number> {
  const request = await readRequest(options, args);
  const selection = textOf(options, 'jqLike');
  const steps = selection === undefined ? undefined : parseJsonPath(selection);
  const { client, url } = await openServer(options);
  const path = pathOn(url, request.path, request.query);
  const { method, body } = request;
  if (options['paginate']) {
    const pages = await allPages(path, (each) => client.request(method, each));
    if (steps === undefined) showJson(pages);
    else showSelected(selectFrom(pages, steps), steps, options);
    return EXIT.ok;
  }
  const response = await client.request(method, path, body === undefined ? {} : { body });
  if (steps === undefined || !isJson(response)) await showAnswer(response, selection);
  else showSelected(selectFrom(await readJson(response), steps), steps, options);
  return EXIT.ok;
}

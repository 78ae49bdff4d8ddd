// Many small exercises, each with a file, a test and one right solution. A fifth of the first
// answers is broken in one of many ways: every exercise ends with the right file, with as few calls
// as that takes.
import { expect, it } from 'vitest';
import { effort } from '../support/effort.ts';
import type { ModelCall, Scripted } from '../support/scripted-model.ts';
import { edits, replace, useScriptedProjects, whole } from './scripted-projects.ts';

const { server, model, project } = useScriptedProjects();

const IS_THOROUGH = effort(1) > 1;
/** A fifth of sixty is one for each way to be broken. */
const COUNT = IS_THOROUGH ? 100 : 60;
const BROKEN = COUNT / 5;

interface Exercise {
  id: string;
  path: string;
  before: string;
  after: string;
}

function exerciseOf(number: number): Exercise {
  const id = `e${String(number).padStart(3, '0')}`;
  const before = [
    `export const factor = ${number};`,
    'export function compute(value) {',
    '  const first = value;',
    '  // TODO',
    '  return first;',
    '}',
    'export function other(value) {',
    '  const first = value;',
    '  return first;',
    '}',
    '',
  ].join('\n');
  const after = before.replace('  // TODO\n  return first;', '  return first * factor;');
  return { id, path: `src/${id}.js`, before, after };
}

const right = ({ path }: Exercise) =>
  edits(replace(path, '  // TODO\n  return first;', '  return first * factor;'));

/** What a broken first answer is; what is asked for next is answered well. */
type Way = (exercise: Exercise) => Scripted;

const WAYS: Record<string, Way> = {
  'a syntax error': ({ path, after }) => edits(whole(path, after.replace('factor;', 'factor);'))),
  'an import of a file that is not there': ({ path, after }) =>
    edits(whole(path, `import { x } from './nowhere.js';\n${after}`)),
  'a search text that is not in the file': ({ path }) =>
    edits(replace(path, '  // to do\n  return value;', '  return first * factor;')),
  'a search text that is in it twice': ({ path }) =>
    edits(replace(path, '  const first = value;', '  const first = value * factor;')),
  'an answer that is cut off': ({ path, after }) => ({
    text: edits(whole(path, after.repeat(20))).slice(0, 3900),
    isCutOff: true,
  }),
  'nothing but words': () => 'I would multiply by the factor.',
  'a line that means nothing': ({ path }) => edits(`edit: ${path}\nmultiply it by the factor\n`),
  'code that is left out': ({ path }) =>
    edits(whole(path, '// ... existing code ...\nexport function compute() {}\n')),
  'a wrong result': ({ path }) =>
    edits(replace(path, '  // TODO\n  return first;', '  return first + factor;')),
  'a file of somebody else': (exercise) =>
    edits(
      whole('package.json', '{"scripts":{}}\n', 'create'),
      whole(exercise.path, exercise.after),
    ),
  'a request for a file': () => edits('read: check.mjs\n'),
  'a vendor that fails': () => ({ text: 'out of order', status: 500 }),
};

const CHECK = `const [, , id, factor] = process.argv;
const { compute } = await import('./src/' + id + '.js');
if (compute(3) !== 3 * Number(factor)) throw new Error('compute(3) is ' + compute(3));
`;

async function solveAll(way: (number: number) => Way | undefined) {
  const exercises = Array.from({ length: COUNT }, (_, number) => exerciseOf(number));
  const streams = exercises.map(({ id, path }, number) => [
    id,
    {
      name: id,
      owns: [path],
      plan: 'Multiply by the factor.',
      // A process of Node for each takes its time.
      verify: [
        IS_THOROUGH
          ? `"$MILLRACE_NODE" check.mjs ${id} ${number}`
          : `grep -q 'return first \\* factor;$' ${path}`,
      ],
      depth: 'minimal',
    },
  ]);
  const files = exercises.map(({ path, before }) => [path, before]);
  const place = project(Object.fromEntries(streams), {
    ...Object.fromEntries(files),
    'check.mjs': CHECK,
    'package.json': '{"type":"module"}\n',
  });
  const asked = new Set<string>();
  model().answer(({ prompt }: ModelCall) => {
    const exercise = exercises[Number(/# Task: (?:Fix \d of )?e(\d+)/.exec(prompt)![1])]!;
    const broken = asked.has(exercise.id) ? undefined : way(Number(exercise.id.slice(1)));
    asked.add(exercise.id);
    return broken ? broken(exercise) : right(exercise);
  });
  const ran = await place.run(server, { concurrency: 16, verifyConcurrency: 4, retryWaitMs: 1 });
  const calls = model().calls.length;
  model().calls.length = 0;
  return { ran, place, exercises, calls };
}

const ways = Object.entries(WAYS);
type Choice = (number: number) => Way | undefined;
const mixed: Choice = (number) =>
  number % 5 === 0 ? ways[(number / 5) % ways.length]![1] : undefined;
const only =
  (way: Way): Choice =>
  (number) =>
    number < BROKEN ? way : undefined;
/** All of them mixed; with more effort each one by itself as well. */
const rounds: [string, Choice][] = [
  ['one thing or another', mixed],
  ...(IS_THOROUGH ? ways : []).map(([name, way]): [string, Choice] => [name, only(way)]),
];

it.each(rounds)(`${COUNT} exercises end well when a fifth begins with %s`, async (name, way) => {
  const { ran, place, exercises, calls } = await solveAll(way);
  expect(ran.status).toBe('complete');
  for (const { path, after } of exercises) expect(place.read(path)).toBe(after);
  console.log(
    `${name}: ${COUNT} exercises, ${BROKEN} broken, ${calls} calls, ${ran.totals.fixes} fixes`,
  );
  // One more for each that was broken.
  expect(calls).toBe(COUNT + BROKEN);
});

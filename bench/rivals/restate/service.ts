// The service that Restate calls: calls the model as a durable step and returns what it answers.
import { endWithParent } from '../../harness/end-with-parent.ts';
import { createModelClient } from '../call-model.ts';
import type { Prompt } from '../call-model.ts';

/** What is used of the package, which the project does not install. */
interface RestateSdk {
  service(definition: {
    name: string;
    handlers: Record<string, (context: RestateContext, input: Prompt) => Promise<unknown>>;
  }): object;
  endpoint(): { bind(service: object): { listen(port: number): Promise<number> } };
}

interface RestateContext {
  run<T>(name: string, action: () => Promise<T>): Promise<T>;
}

const restate = (await import(process.env['RESTATE_SDK']!)) as RestateSdk;
const callModel = createModelClient(process.env['MODEL_URL']!, 256);
const bench = restate.service({
  name: 'bench',
  handlers: {
    run: async (context, input) => ({ text: await context.run('model', () => callModel(input)) }),
  },
});
const port = await restate.endpoint().bind(bench).listen(0);
endWithParent();
process.send?.({ ready: { port } });

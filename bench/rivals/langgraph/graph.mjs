// The graph of the rival: one node that calls the model. Copied beside the packages it needs, hence
// not TypeScript of the project.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';

const { createModelClient } = await import(process.env.CALL_MODEL);
const callModel = createModelClient(process.env.MODEL_URL, 64);

const State = Annotation.Root({
  prompt: Annotation(),
  model: Annotation(),
  text: Annotation(),
});

export const graph = new StateGraph(State)
  .addNode('call', async (state) => ({ text: await callModel(state) }))
  .addEdge(START, 'call')
  .addEdge('call', END)
  .compile();

// How the rivals that run on Node call the model: as cheaply as it goes.
import { Pool } from 'undici';

export interface Prompt {
  prompt: string;
  model: string;
}

export function createModelClient(modelUrl: string, connections: number) {
  const pool = new Pool(modelUrl, { connections });
  return async ({ prompt, model }: Prompt): Promise<string> => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { 'content-type': 'application/json', authorization: 'Bearer bench-key' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: prompt }] }),
    });
    const answer = (await body.json()) as { choices: { message: { content: string } }[] };
    if (statusCode !== 200) throw new Error(`the model answered ${statusCode}`);
    return answer.choices[0]!.message.content;
  };
}

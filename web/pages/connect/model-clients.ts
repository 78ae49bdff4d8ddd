// Clients of models, and the lines that point them at the model endpoint of this server. docs/model-endpoint.md shows
// the same lines; a test compares the two.
interface ModelClient {
  id: string;
  label: string;
  /** What to know about it, in a sentence or two. */
  lead: string;
  steps: readonly { label: string; text: string }[];
}

const CLAUDE_CODE = (url: string) => `export ANTHROPIC_BASE_URL="${url}/anthropic"
export ANTHROPIC_AUTH_TOKEN="$MILLRACE_API_KEY"
export ANTHROPIC_MODEL="sim-fast"
export ANTHROPIC_DEFAULT_HAIKU_MODEL="sim-fast"`;

const CODEX = (url: string) => `model = "sim-fast"
model_provider = "millrace"
web_search = "disabled"

[model_providers.millrace]
name = "Millrace"
base_url = "${url}/openai/v1"
env_key = "MILLRACE_API_KEY"
wire_api = "responses"`;

const GEMINI_SETTINGS = `{ "security": { "auth": { "selectedType": "gemini-api-key" } } }`;

const GEMINI = (url: string) => `export GOOGLE_GEMINI_BASE_URL="${url}/google"
export GEMINI_API_KEY="$MILLRACE_API_KEY"
export GEMINI_MODEL="sim-fast"`;

const OPENCODE = (url: string) => `{
  "$schema": "https://opencode.ai/config.json",
  "provider": {
    "anthropic": {
      "options": {
        "baseURL": "${url}/anthropic/v1",
        "apiKey": "{env:MILLRACE_API_KEY}"
      },
      "models": { "sim-fast": {} }
    }
  },
  "model": "anthropic/sim-fast",
  "small_model": "anthropic/sim-fast"
}`;

const AIDER = (url: string) => `export OPENAI_API_BASE="${url}/openai/v1"
export OPENAI_API_KEY="$MILLRACE_API_KEY"
aider --model openai/sim-fast`;

const CLINE = (url: string) => `API Provider: OpenAI Compatible
Base URL: ${url}/openai/v1
API Key: <an API key of Millrace>
Model ID: sim-fast`;

const CONTINUE = (url: string) => `name: Millrace
version: 0.0.1
schema: v1
models:
  - name: Claude by Millrace
    provider: anthropic
    model: claude-opus-5-5
    apiBase: ${url}/anthropic/v1/
    apiKey: <an API key of Millrace>`;

const ANTHROPIC_SDK = (url: string) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: '${url}/anthropic',
  apiKey: process.env.MILLRACE_API_KEY,
});
const message = await client.messages.create({
  model: 'sim-fast',
  max_tokens: 500,
  messages: [{ role: 'user', content: 'Say hello.' }],
});
console.log(message.content[0].text);`;

const OPENAI_SDK = (url: string) => `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${url}/openai/v1',
  apiKey: process.env.MILLRACE_API_KEY,
});
const response = await client.responses.create({ model: 'sim-fast', input: 'Say hello.' });
console.log(response.output_text);`;

const GOOGLE_SDK = (url: string) => `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({
  apiKey: process.env.MILLRACE_API_KEY,
  apiVersion: 'v1beta',
  httpOptions: { baseUrl: '${url}/google' },
});
const response = await client.models.generateContent({ model: 'sim-fast', contents: 'Say hello.' });
console.log(response.text);`;

const AI_SDK = (url: string) => `import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText } from 'ai';

const anthropic = createAnthropic({
  baseURL: '${url}/anthropic/v1',
  apiKey: process.env.MILLRACE_API_KEY,
});
const { text } = await generateText({ model: anthropic('sim-fast'), prompt: 'Say hello.' });
console.log(text);`;

const CURL = (url: string) => `curl ${url}/anthropic/v1/messages \\
  -H "x-api-key: $MILLRACE_API_KEY" -H 'anthropic-version: 2023-06-01' -H 'Content-Type: application/json' \\
  -d '{"model":"sim-fast","max_tokens":500,"messages":[{"role":"user","content":"Say hello."}]}'`;

const ENVIRONMENT = 'In your shell';

export function modelClients(origin: string): ModelClient[] {
  const url = `${origin}/model`;
  return [
    {
      id: 'claude-code',
      label: 'Claude Code',
      lead: 'Claude Code reads the environment. ANTHROPIC_API_KEY wins over these lines, so it must not be set. Leave the last two out for real models.',
      steps: [{ label: ENVIRONMENT, text: CLAUDE_CODE(url) }],
    },
    {
      id: 'codex',
      label: 'Codex',
      lead: 'Codex takes a provider of its own, and reads the key from MILLRACE_API_KEY.',
      steps: [{ label: '~/.codex/config.toml', text: CODEX(url) }],
    },
    {
      id: 'gemini-cli',
      label: 'Gemini CLI',
      lead: 'Gemini CLI needs to know that it signs in with a key. Over plain HTTP it takes an address of this machine only.',
      steps: [
        { label: '~/.gemini/settings.json', text: GEMINI_SETTINGS },
        { label: ENVIRONMENT, text: GEMINI(url) },
      ],
    },
    {
      id: 'opencode',
      label: 'opencode',
      lead: 'For all your projects; an opencode.json in a project works, too. Other vendors are the same with their own names and addresses.',
      steps: [{ label: '~/.config/opencode/opencode.json', text: OPENCODE(url) }],
    },
    {
      id: 'aider',
      label: 'aider',
      lead: 'aider asks at the address of OpenAI, with openai/ before the id of the model.',
      steps: [{ label: ENVIRONMENT, text: AIDER(url) }],
    },
    {
      id: 'cline',
      label: 'Cline',
      lead: 'Enter these values in the settings of Cline. Create a key on this page, or use one that has the scope models.',
      steps: [{ label: 'Settings of Cline', text: CLINE(url) }],
    },
    {
      id: 'continue',
      label: 'Continue',
      lead: 'Continue shows each model of this file in its list.',
      steps: [{ label: '~/.continue/config.yaml', text: CONTINUE(url) }],
    },
    {
      id: 'anthropic-sdk',
      label: 'Anthropic SDK',
      lead: 'The SDKs in all languages also read ANTHROPIC_BASE_URL.',
      steps: [{ label: 'Node', text: ANTHROPIC_SDK(url) }],
    },
    {
      id: 'openai-sdk',
      label: 'OpenAI SDK',
      lead: 'The SDKs in all languages also read OPENAI_BASE_URL.',
      steps: [{ label: 'Node', text: OPENAI_SDK(url) }],
    },
    {
      id: 'google-sdk',
      label: 'Google SDK',
      lead: 'The SDK asks for version v1 of the API unless apiVersion says otherwise.',
      steps: [{ label: 'Node', text: GOOGLE_SDK(url) }],
    },
    {
      id: 'ai-sdk',
      label: 'AI SDK',
      lead: 'Its other providers work the same way, each with the address of its vendor.',
      steps: [{ label: 'Node', text: AI_SDK(url) }],
    },
    {
      id: 'http',
      label: 'curl',
      lead: 'One call in the protocol of Anthropic.',
      steps: [{ label: 'First call', text: CURL(url) }],
    },
  ];
}

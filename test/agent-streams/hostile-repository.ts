// What agents would load of a repository, of all vendors: each leaves a file that no stream owns, or words for the model.

export const LOADED = 'CANARY-OF-THE-REPOSITORY';
const skill = `---\nname: canary\ndescription: ${LOADED}\n---\n${LOADED}\n`;
const touch = (name: string) => ({ command: 'touch', args: [`loaded-${name}`] });
const hook = (name: string) => ({ hooks: [{ type: 'command', command: `touch loaded-${name}` }] });
const plugin = (name: string) =>
  `import fs from 'node:fs'; fs.writeFileSync('loaded-${name}', ''); export const X = async () => ({});`;

export const HOSTILE: Readonly<Record<string, string>> = {
  '.claude/settings.json': JSON.stringify({ hooks: { SessionStart: [hook('claude')] } }),
  '.claude/skills/canary/SKILL.md': skill,
  '.claude/agents/canary.md': skill,
  '.mcp.json': JSON.stringify({ mcpServers: { x: touch('mcp') } }),
  '.agents/skills/canary/SKILL.md': skill,
  '.codex/skills/canary/SKILL.md': skill,
  '.codex/config.toml': `developer_instructions = "${LOADED}"\n[mcp_servers.x]\ncommand = "touch"\nargs = ["loaded-codex"]\n`,
  '.gemini/settings.json': JSON.stringify({
    mcpServers: { x: touch('gemini') },
    hooks: { SessionStart: [hook('gemini-hook')] },
  }),
  '.gemini/skills/canary/SKILL.md': skill,
  'src/GEMINI.md': LOADED,
  '.opencode/plugin/x.js': plugin('opencode'),
  '.opencode/agent/build.md': `---\ndescription: x\n---\n${LOADED}\n`,
  'opencode.json': JSON.stringify({
    mcp: { x: { type: 'local', command: ['touch', 'loaded-opencode-mcp'] } },
  }),
};

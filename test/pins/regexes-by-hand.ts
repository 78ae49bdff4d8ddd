// Patterns whose cost was judged by a person: the checker does not understand them or takes too long
// over them. Whoever adds one says why no text can make it slow.

/** Exactly one place in the text can start it, and no two of its parts take the same character. */
const ONE_WAY = 'one way to read any text, from the start of a text or a line';
/** Fixed letters first: the loop after them ends where they could begin again, or always succeeds. */
const FIXED_START = 'starts with fixed letters; what follows is read once';
/** A run can start at its first character alone. */
const LOOKBEHIND = 'the lookbehind lets a run start in one place only';

export const BY_HAND: ReadonlyMap<string, readonly string[]> = new Map([
  [
    ONE_WAY,
    [
      String.raw`^Bearer +(\S+) *$`,
      String.raw`^(localhost|.*\.(localhost|local|internal|lan|home\.arpa))\.?$`,
      String.raw`^\s*(?:not ok|FAIL(?:ED)?\b|--- FAIL|✖|✗|×)`,
      String.raw`\b(?:error|Error|failed|FAILED|Failed|FAIL|panicked|AssertionError|Exception|not ok|✖|×)\b|^E {2,}`,
      String.raw`^\s+at (?:wrapSafe|compileSourceTextModule|ModuleLoader\.|new Script|internalCompile)`,
      String.raw`^\s+--> \S+:\d+:\d+`,
      String.raw`^[ \t]*(?:Test Files|Tests|Test Suites:|Tests:)[ \t]+(?:\S.*)?\b\d+ (?:failed|passed)`,
      String.raw`^(?:#|ℹ) (?:tests|fail) \d+$`,
      String.raw`^=+ (?:short test summary info|\d+ (?:failed|passed)).*=$`,
      String.raw`^[ \t]*\d+ (?:passing|failing)\b`,
      String.raw`^(?:credentials|service[-_]?account.*|secrets?)\.(?:json|ya?ml|toml)$`,
      String.raw`^File: (.+)$`,
      String.raw`^[ \t]*(?:#+[ \t]*)?(?:owns|owned files)[ \t]*:[ \t]*(.*)$`,
      String.raw`^(?!\.{1,2}(?:\/|$))[\w.@+-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.@+-]+)*\/?$`,
      String.raw`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-((0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(\+([0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*))?$`,
      String.raw`^[ \t]*import[ \t]+([\w., \t]+)`,
      String.raw`^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*\(?([^)\n#]*)`,
      String.raw`^import[ \t]*\(`,
      String.raw`^import[ \t]+(?:[\w.]+[ \t]+)?"([^"\n]+)"`,
      String.raw`^[ \t]*(?:pub(?:\([^)\n]*\))?[ \t]+)?(mod[ \t]+\w+)[ \t]*;`,
      String.raw`^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]+(?:\.\*)?)`,
      String.raw`^[ \t]*#[ \t]*(?:include|import)[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)`,
      String.raw`^[ \t]*require_relative[ \t(]+['"]([^'"\n]+)['"]`,
      String.raw`^[ \t]*require[ \t(]+['"]([^'"\n]+)['"]`,
      String.raw`^[ \t]*use[ \t]+\\?(\w+(?:\\\w+)+)`,
    ],
  ],
  [
    FIXED_START,
    [
      String.raw`(Expected \d+ arguments? but got \d+): .*`,
      String.raw`(unknown option '-[^=']*)=[^']*'`,
      String.raw`mill_[a-z]{2}_[\w-]+`,
      String.raw`mill_[a-z]{2}_[0-9A-Za-z_-]{6,}`,
      String.raw`\b(?:sk|rk|pk)-[A-Za-z0-9_-]{8,}`,
      String.raw`\bAIza[0-9A-Za-z_-]{10,}`,
      String.raw`\bwhsec_[A-Za-z0-9+/=_-]{8,}`,
      String.raw`\bBearer\s+[A-Za-z0-9._~+/=-]{4,}`,
      String.raw`("(?:x-api-key|x-provider-key|x-share-token|authorization|(?:set-)?cookie|password|api[_-]?key|secret)"\s*:\s*")(?:[^"\\]|\\.)*"`,
      String.raw`\b(?:expected|actual|assert\w*|cannot find|not found|failed)\b`,
      String.raw`\nAnswer with the plan now: at most (\d{1,4}) streams\.\s*$`,
      String.raw`\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[PX^_][^\u001B]*\u001B\\|[ -/]*[0-~])|\u009B[0-?]*[ -/]*[@-~]`,
      String.raw`\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-_])`,
      String.raw`\[\[sim:[^\][]*\]\]`,
      String.raw`"retryDelay":\s*"([\d.]+)s"`,
      String.raw`"((?:[^"\\\n]|\\.)*)(?:"(\s*:)?)?`,
      String.raw`"(?:extends|path)"\s*:\s*(\[[^\][]*\]|"[^"\n]*")`,
      String.raw`\b((?:crate|super|self)(?:::\w+)+)`,
      String.raw`@(?:import|use|forward)[ \t]+(?:\([^()\n]*\)[ \t]*)?(?:url\()?['"]?([^'"();\s]+)`,
      String.raw`\b(?:require|include)(?:_once)?[ \t(]*(?:__DIR__[ \t]*\.[ \t]*)?['"]([^'"\n]+\.php)['"]`,
    ],
  ],
  [
    LOOKBEHIND,
    [
      String.raw`(?<!\/)\/+$`,
      String.raw`(?<![\r\n])[\r\n]+$`,
      String.raw`(?<=^\/|[^/])\/+$`,
      String.raw`(?<=.)[?#].*$`,
    ],
  ],
  ['read on at most 500 characters (MAX_SUMMARY)', [String.raw`^.*?[.!?](?= |$)`]],
  ['read on the digits of one number', [String.raw`\B(?=(\d{3})+$)`]],
  [
    'read on at most 1000 characters of a line (LONGEST)',
    [
      String.raw`\berror\b(?:\s+TS\d+|\[E\d+\])?\s*:|\b\w*(?:Error|Exception)\b.*:|\bpanic(?:ked)?\b`,
    ],
  ],
  [
    'read on words of at most 500 characters (LONGEST_WORD)',
    [String.raw`[\w@.+~-]*(?:\/[\w@.+~-]+)*\.[A-Za-z]\w{0,9}\b`],
  ],
  [
    'read on names of files, which have at most 255 bytes',
    [String.raw`(?:^|\/)(?:package\.json|[^/]*(?:ts|js)config[^/]*\.json)$`],
  ],
]);

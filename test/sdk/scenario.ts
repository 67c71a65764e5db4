import { existsSync, globSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { root } from '../../scripts/versions.ts'
import { virtualEnvironment } from '../../scripts/virtual-environment.ts'
import type { FlakyProxy, ProxyReply } from '../support/flaky-proxy.ts'
import type { Receiver } from '../support/receiver.ts'
import type { Person, World } from '../support/world.ts'

export { root }

/**
 * Returns the path of a file that `make sdk` built.
 * @throws Error if the pattern does not match exactly one file
 */
export function built(pattern: string): string {
  const [file, ...others] = globSync(`build/sdk/${pattern}`, { cwd: root })
  if (!file || others.length > 0 || !existsSync(path.join(root, file)))
    throw new Error(`Expected exactly one file build/sdk/${pattern}. Run make sdk.`)
  return path.join(root, file)
}

/**
 * Creates a virtual environment with the built wheel and its dependencies.
 * @returns the path of its Python
 */
export async function pythonWithPackage(folder: string): Promise<string> {
  const packages = [built('python/*.whl'), 'attrs==26.1.0', 'httpx==0.28.1']
  return path.join(await virtualEnvironment(path.join(folder, 'venv'), packages, 'make test-slow', '3.11'), 'python')
}

/** Returns the environment variables of a test program. */
export const environmentOf = (
  world: World,
  person: Person,
  proxy: FlakyProxy,
  receiver: Receiver,
): NodeJS.ProcessEnv => ({
  CANVASS_URL: world.base,
  CANVASS_USERNAME: person.actor.username,
  CANVASS_PASSWORD: person.password,
  API_KEY: person.apiKey,
  PROXY_URL: proxy.url,
  RECEIVER_URL: receiver.url('/sdk'),
})

/**
 * Replies of the proxy to the test programs, in this order: two errors after which a client retries, the reply of the
 * server, another error, an error whose Retry-After is too long to wait, and half a file.
 */
export const flakyReplies = (): ProxyReply[] => [
  { status: 429, retryAfter: '0' },
  { status: 503, retryAfter: 'Thu, 01 Jan 2026 00:00:00 GMT' },
  undefined,
  { status: 503, retryAfter: '0' },
  { status: 429, retryAfter: '3600' },
  'truncated',
]

/** Returns the names of the webhook events in the contract, and writes their examples to events.json. */
export async function writeEvents(folder: string): Promise<string[]> {
  const { webhooks } = JSON.parse(readFileSync(path.join(root, 'generated/v3/openapi.json'), 'utf8')) as {
    webhooks: Record<string, { post: { requestBody: { content: Record<string, { example: object }> } } }>
  }
  const examples = Object.values(webhooks).map(
    ({ post }) => post.requestBody.content['application/x-www-form-urlencoded']!.example,
  )
  await writeFile(path.join(folder, 'events.json'), JSON.stringify(examples))
  return Object.keys(webhooks)
}

/** The credentials that a program uses. */
interface Account {
  username: string
  password: string
}

/** Returns the credentials of a person. */
export const accountOf = ({ actor, password }: Person): Account => ({ username: actor.username, password })

/**
 * Returns the program in a README with the address and the account of the test.
 * @param language the language of the code block
 */
export function readmeProgram(file: string, language: string, base: string, account: Account): string {
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(readFileSync(path.join(root, file), 'utf8'))
  if (!block) throw new Error(`${file} has no code block in ${language}`)
  return block[1]!
    .replace(/(['"])https?:[^'"]+\1/, JSON.stringify(base))
    .replace(/(username[:=] ?)(['"])[^'"]+\2/, (_, name) => name + JSON.stringify(account.username))
    .replace(/(password[:=] ?)(['"])[^'"]+\2/, (_, name) => name + JSON.stringify(account.password))
}

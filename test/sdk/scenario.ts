import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { virtualEnvironment } from '../../scripts/virtual-environment.ts'
import type { Doorman, Word } from '../support/flaky-proxy.ts'
import type { Receiver } from '../support/receiver.ts'
import type { Person, World } from '../support/world.ts'

export const root = path.resolve(import.meta.dirname, '../..')

/**
 * The one file that `make sdk` left under build/sdk.
 * @throws saying what to run when there is none
 */
export function built(pattern: string): string {
  const [file, ...more] = globSync(`build/sdk/${pattern}`, { cwd: root })
  if (!file || more.length > 0 || !existsSync(path.join(root, file)))
    throw new Error(`There is not exactly one build/sdk/${pattern}: run make sdk`)
  return path.join(root, file)
}

/**
 * A new Python that has the built wheel and what it needs, and nothing else.
 * @param folder where to put it
 * @returns the path of its program
 */
export async function pythonWithPackage(folder: string): Promise<string> {
  const packages = [built('python/*.whl'), 'attrs==26.1.0', 'httpx==0.28.1']
  return path.join(await virtualEnvironment(path.join(folder, 'venv'), packages, 'make test', '3.11'), 'python')
}

/** The environment of a story: who tells it, and where. */
export const settingsOf = (world: World, person: Person, doorman: Doorman, receiver: Receiver): NodeJS.ProcessEnv => ({
  CANVASS_URL: world.base,
  CANVASS_USERNAME: person.actor.username,
  CANVASS_PASSWORD: person.password,
  API_KEY: person.apiKey,
  DOORMAN_URL: doorman.url,
  RECEIVER_URL: receiver.url('/sdk'),
})

/** What the doorman says in the stories: busy twice and then not, busy to somebody hasty, busy for an hour, half a file. */
export const busyDay = (): Word[] => [
  { status: 429, retryAfter: '0' },
  { status: 503, retryAfter: 'Thu, 01 Jan 2026 00:00:00 GMT' },
  undefined,
  { status: 503, retryAfter: '0' },
  { status: 429, retryAfter: '3600' },
  'cut',
]

/**
 * The program that a README shows, for the service of the tests: another address and another account, nothing else.
 * @param language as its block of code is marked
 */
export function shown(file: string, language: string, world: World, person: Person): string {
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(readFileSync(path.join(root, file), 'utf8'))
  if (!block) throw new Error(`${file} shows nothing in ${language}`)
  return block[1]!
    .replace(/(['"])https?:[^'"]+\1/, JSON.stringify(world.base))
    .replace(/(username[:=] ?)(['"])[^'"]+\2/, (_, name) => name + JSON.stringify(person.actor.username))
    .replace(/(password[:=] ?)(['"])[^'"]+\2/, (_, name) => name + JSON.stringify(person.password))
}

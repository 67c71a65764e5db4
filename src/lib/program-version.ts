import { readFileSync } from 'node:fs'

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')

/** The version of the server, from package.json. */
export const PROGRAM_VERSION: string = JSON.parse(manifest).version

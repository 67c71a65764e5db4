import { readFileSync } from 'node:fs'

/** An instruction of a Dockerfile. */
export interface Instruction {
  /** In upper case. */
  name: string
  /** Options such as `--from=built`. */
  flags: Readonly<Record<string, string>>
  /** The text after the options. */
  rest: string
}

/** A stage of a Dockerfile. */
export interface Stage {
  /** The name of the stage, or its number. */
  name: string
  /** The image or the earlier stage that the instruction FROM names. */
  base: string
  instructions: Instruction[]
}

/** Reads the stages of a Dockerfile. Here-documents, variables and parser directives are not supported. */
export function parseDockerfile(file: string): Stage[] {
  const text = readFileSync(file, 'utf8').replace(/^\s*#.*\n/gm, '')
  const stages: Stage[] = []
  for (const line of text.replace(/\\\n/g, ' ').split('\n')) {
    const [, name, flags = '', rest = ''] = /^\s*(\w+)((?:\s+--[\w-]+=\S+)*)\s+(.*\S)\s*$/.exec(line) ?? []
    if (!name) continue
    if (name.toUpperCase() === 'FROM') {
      const [base = '', , alias] = rest.split(/\s+/)
      stages.push({ name: alias ?? String(stages.length), base, instructions: [] })
    } else
      stages.at(-1)!.instructions.push({
        name: name.toUpperCase(),
        flags: Object.fromEntries([...flags.matchAll(/--([\w-]+)=(\S+)/g)].map(([, key, value]) => [key, value])),
        rest,
      })
  }
  return stages
}

/**
 * Parses the exec form of a command.
 * @throws Error for the shell form, because a shell would receive the stop signals instead of the program
 */
export function execForm(rest: string): string[] {
  try {
    return JSON.parse(rest) as string[]
  } catch {
    throw new Error(`Use the exec form ["program", "argument"] instead of: ${rest}`)
  }
}

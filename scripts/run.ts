import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/**
 * Runs a tool and waits until it has ended.
 * @returns the standard output of the tool
 * @throws Error with the output of the tool if the tool fails
 */
export async function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  try {
    const options = { cwd, env: { ...process.env, NO_COLOR: '1', ...env }, maxBuffer: 16_777_216 }
    return (await promisify(execFile)(command, args, options)).stdout
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
    throw new Error(`${message.split('\n')[0]}\n${stdout}${stderr}`.trim())
  }
}

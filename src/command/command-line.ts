import { type Command, CommanderError } from 'commander'
import { createProgram } from './program.ts'

/** Errors whose message states what to do next; they are printed without a stack trace. */
const EXPLAINED_ERRORS = new Set([
  'ConfigError',
  'Problem',
  'EmbeddedDatabaseError',
  'MigrationError',
  'BackupError',
  'BucketError',
])

/** Error codes of a folder that is not writable. */
const UNWRITABLE_CODES = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'ENOTDIR'])

/** Exit code of a wrong command line, as in bash. */
const USAGE_ERROR = 2

/** Returns the message of an error that states what to do next, or else the error with its stack trace. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (EXPLAINED_ERRORS.has(error.name)) return error.message
  const { code = '', syscall, path } = error as NodeJS.ErrnoException
  const isMissing = syscall === 'mkdir' && (code === 'ENOENT' || code === 'EEXIST')
  if (path && (UNWRITABLE_CODES.has(code) || isMissing))
    return `${path} is not writable (${code}). Set DATA_DIR to a folder that this user can write to.`
  return error
}

/** Makes a command and its subcommands throw a `CommanderError` instead of exiting. */
function throwErrors(command: Command): Command {
  for (const child of command.commands) throwErrors(child)
  return command.exitOverride()
}

/** Runs the command that the arguments name; without any, `serve`. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  try {
    await throwErrors(createProgram()).parseAsync(args.length ? args : ['serve'], { from: 'user' })
  } catch (error) {
    // Commander has already printed the help or the error.
    if (error instanceof CommanderError) process.exit(error.exitCode ? USAGE_ERROR : 0)
    console.error(describeError(error))
    process.exit(1)
  }
}

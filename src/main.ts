/** The commands of the program, each loaded on use; `run` receives the arguments after the name. */
const commands: Record<string, () => Promise<{ run(args: string[]): Promise<void> }>> = {
  serve: () => import('./command/serve.ts'),
  work: () => import('./command/work.ts'),
  migrate: () => import('./command/migrate.ts'),
  seed: () => import('./command/seed.ts'),
  user: () => import('./command/user.ts'),
  'verify-log': () => import('./command/verify-log.ts'),
  email: () => import('./command/email.ts'),
  plan: () => import('./command/plan.ts'),
  password: () => import('./command/password.ts'),
}

const USAGE = `usage: node src/main.ts <command>
  serve                                   run the web server and background jobs (settings: see .env.example)
  work                                    run background jobs only; start any number of these
  migrate                                 migrate the database, then exit
  seed [responses]                        create a demo account with a survey and responses (default: 200)
  verify-log [file]                       verify the security log and print the heads of its chains; with the output of
                                          an earlier run in a file, also verify that its entries still exist
  user <name> <email>                     create an account and print its password and API key once
  user <name> <email> --developer         the same, with permission to create accounts and login links
  plan <name> <plan>                      set the plan of an account: its limit of API requests (RATE_LIMITS)
  password <name>                         set a new password for an account and print it once
  email <name> <address>                  set the email address of an account, without confirmation`

/** Errors whose message states what to do next; they are printed without a stack trace. */
const EXPLAINED_ERRORS = new Set(['ConfigError', 'Problem', 'EmbeddedDatabaseError'])

/** Error codes of a folder that is not writable. */
const UNWRITABLE_CODES = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'ENOTDIR'])

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

const [name = 'serve', ...args] = process.argv.slice(2)
const load = commands[name]
if (!load || args.includes('--help')) {
  const isHelp = args.includes('--help') || name === 'help' || name === '--help'
  console.error(isHelp ? USAGE : `Unknown command: ${name}\n${USAGE}`)
  process.exit(isHelp ? 0 : 2)
}
try {
  const { run } = await load()
  await run(args)
} catch (error) {
  console.error(describeError(error))
  process.exit(1)
}

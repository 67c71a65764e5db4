/** Every command of the program, loaded only when asked for. Each takes the words after its name. */
const commands: Record<string, () => Promise<{ run(words: string[]): Promise<void> }>> = {
  serve: () => import('./command/serve.ts'),
  work: () => import('./command/work.ts'),
  migrate: () => import('./command/migrate.ts'),
  seed: () => import('./command/seed.ts'),
  user: () => import('./command/user.ts'),
  'verify-log': () => import('./command/verify-log.ts'),
  email: () => import('./command/email.ts'),
  password: () => import('./command/password.ts'),
}

const USAGE = `usage: node src/main.ts <command>
  serve                                   answer requests (PORT, HOST, DATABASE_URL, ...: see .env.example)
  work                                    work background jobs only; as many of these as you like
  migrate                                 bring the database up to date, then stop
  seed [responses]                        make a demo account with a survey and responses (default 200)
  verify-log [file]                       check that the security log is whole, and print its heads; with what it printed
                                          earlier in a file, also that nothing of that time is missing
  user <name> <email>                     make an account; prints its password and API key once
  user <name> <email> --developer         the same, allowed to make accounts and login links
  password <name>                         set a new password for an account and print it once
  email <name> <address>                  set the e-mail address of an account, without confirmation`

/** Errors whose message says what to do next: their stack would only hide it. */
const EXPLAINED_ERRORS = new Set(['ConfigError', 'Problem', 'EmbeddedDatabaseError'])

/** What a folder says that cannot be written to. */
const UNWRITABLE_CODES = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'ENOTDIR'])

/** What is printed of an error: words where there are any, else all of it. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (EXPLAINED_ERRORS.has(error.name)) return error.message
  const { code = '', syscall, path } = error as NodeJS.ErrnoException
  const hasNoPlace = syscall === 'mkdir' && (code === 'ENOENT' || code === 'EEXIST')
  if (path && (UNWRITABLE_CODES.has(code) || hasNoPlace))
    return `${path} cannot be written to (${code}). DATA_DIR must name a folder that this account may write to.`
  return error
}

const [name = 'serve', ...words] = process.argv.slice(2)
const load = commands[name]
if (!load || words.includes('--help')) {
  const isHelp = words.includes('--help') || name === 'help' || name === '--help'
  console.error(isHelp ? USAGE : `Unknown command: ${name}\n${USAGE}`)
  process.exit(isHelp ? 0 : 2)
}
try {
  const { run } = await load()
  await run(words)
} catch (error) {
  console.error(describeError(error))
  process.exit(1)
}

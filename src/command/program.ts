import { Command } from 'commander'
import { PROGRAM_VERSION } from '../lib/program-version.ts'

const SETTINGS_HELP = `
Settings are environment variables, described in .env.example. The most important:
  DATA_DIR        folder of the embedded PostgreSQL and the secret key (default: ./data)
  DATABASE_URL    your own PostgreSQL instead of the embedded one
  PORT, BASE_URL  where the server listens, and its public address

Examples:
  canvass serve
  canvass user ann ann@example.org
  canvass backup canvass.backup
  canvass help backup`

/** Returns the command line of the program. Each command is loaded when it runs. */
export function createProgram(): Command {
  const program = new Command('canvass')
    .description('Canvass, a self-hosted survey service.')
    .version(PROGRAM_VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .showSuggestionAfterError()
    .showHelpAfterError('Run "canvass --help" for the list of commands.')
    .addHelpText('after', SETTINGS_HELP)
  addServerCommands(program)
  addBackupCommands(program)
  addAccountCommands(program)
  return program
}

function addServerCommands(program: Command): void {
  program.commandsGroup('Server:')
  program
    .command('serve')
    .summary('run the web server and background jobs (default)')
    .description(
      'Migrates the database, then runs the web server and background jobs until SIGTERM or Ctrl-C.\nWith WORKER=off, it runs no background jobs: start "canvass work" for them.',
    )
    .action(async () => (await import('./serve.ts')).run())
  program
    .command('work')
    .summary('run background jobs only')
    .description('Migrates the database, then runs background jobs. Start any number of these processes.')
    .action(async () => (await import('./work.ts')).run())
  program
    .command('migrate')
    .summary('migrate the database, then exit')
    .description('Creates the database if it does not exist, and migrates it to the schema of this version.')
    .option(
      '--undo-after <migration>',
      'undo the migrations after this one, so that an earlier version can use the database; deletes what they added',
    )
    .option(
      '--accept-secret-key',
      'use the database with this secret key from now on; API keys, sessions and encrypted secrets of another key are lost',
    )
    .action(async (options) => (await import('./migrate.ts')).run(options))
  program
    .command('doctor')
    .summary('check the installation')
    .description(
      'Checks settings, data folder, database, jobs, mail server, and the way from BASE_URL to the server.\nStates what to do about each fault, and changes nothing. Exits with 1 if there is an error.',
    )
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => (await import('./doctor.ts')).run(options))
  program
    .command('config')
    .summary('print all settings')
    .description(
      'Prints each setting with its value, its source and its meaning. Secrets are masked.\nExits with 1 if a setting is invalid.',
    )
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => (await import('./config.ts')).run(options))
  program
    .command('upgrade-database')
    .summary('upgrade the embedded PostgreSQL')
    .description(
      'Copies the embedded database from an earlier major version of PostgreSQL to that of this program.\nThe old database is kept under another name. Stop all servers and workers first.',
    )
    .requiredOption('--binaries <folder>', 'folder of the earlier PostgreSQL, with bin/ or native/bin/')
    .action(async (options: { binaries: string }) => (await import('./upgrade-database.ts')).run(options))
  program
    .command('distribute')
    .summary('distribute the responses over the nodes of a Citus cluster')
    .description(
      'Distributes the responses over the nodes of a Citus cluster, by survey; DATABASE_URL names the coordinator.\nStop all servers and workers first. A failure changes nothing.',
    )
    .option('--undo', 'move all rows back to the coordinator')
    .action(async (options: { undo?: boolean }) => (await import('./distribute.ts')).run(options))
  program
    .command('verify-log')
    .summary('verify the security log')
    .description(
      'Verifies that no entry of the security log was changed or removed, and prints the heads of its chains.\nExits with 1 when the log was changed.',
    )
    .argument('[file]', 'output of an earlier run: also verify that its entries still exist')
    .action(async (file?: string) => (await import('./verify-log.ts')).run(file))
}

const BACKUP_HELP = `
The target is a file, a folder that ends with / (the name is then generated), or an S3 URL.
For S3, set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and, for other services than AWS, AWS_ENDPOINT_URL.
BACKUP_PASSPHRASE encrypts the backup without asking. "age --decrypt", "zstd" and "tar" open a backup as well.

Examples:
  canvass backup canvass.backup
  canvass backup --encrypt /mnt/backups/
  canvass backup --to s3://bucket/canvass/monday.backup
  canvass backup verify canvass.backup`

function addBackupCommands(program: Command): void {
  program.commandsGroup('Backup:')
  const backup = program
    .command('backup')
    .summary('back up the database')
    .usage('[options] <target>\n       canvass backup verify <target>')
    .description(
      'Backs up the database while the servers run, then reads the backup and verifies it. An encrypted backup contains the secret key too.',
    )
    .argument('[target]', 'file, folder/ or s3://bucket/key')
    .option('--to <target>', 'the same as the argument')
    .option('--encrypt', 'ask for a passphrase and encrypt the backup')
    .option('--include-secret-key', 'include the secret key in a backup that is not encrypted')
    .option('--without-secrets', 'leave out the secret key of an encrypted backup')
    .option(
      '--keep <number>',
      'afterwards, keep this number of the newest backups with generated names in the folder or bucket, and delete the others',
    )
    .option('--no-verify', 'do not read the backup again')
    .addHelpText('after', BACKUP_HELP)
    .action(async (target: string | undefined, options) => (await import('./backup.ts')).run(target, options))
  backup
    .command('verify')
    .summary('verify a backup')
    .description('Reads a backup, verifies the number and the checksum of the rows of each table, and describes it.')
    .argument('<target>', 'file or s3://bucket/key; folder/ or s3://bucket/prefix/ for the newest backup in it')
    .action(async (target: string) => (await import('./backup.ts')).verify(target))
  program
    .command('restore')
    .summary('restore a backup')
    .description(
      'Restores a backup into an empty database or data folder, and migrates it to the schema of this version.\nStop all servers and workers first. A restore that fails leaves the accounts and responses of the database unchanged.',
    )
    .argument('<target>', 'file or s3://bucket/key; folder/ or s3://bucket/prefix/ for the newest backup in it')
    .option(
      '--replace',
      'replace a database that contains accounts, and a secret key that differs from the one in the backup',
    )
    .option('--ignore-secret-key', 'keep the secret key of this installation, or restore without one')
    .addHelpText(
      'after',
      '\nBACKUP_PASSPHRASE decrypts the backup without asking.\n\nExamples:\n  canvass restore canvass.backup\n  DATABASE_URL=postgres://canvass@db/canvass canvass restore --replace s3://bucket/canvass/monday.backup',
    )
    .action(async (target: string, options) => (await import('./backup.ts')).runRestore(target, options))
}

function addAccountCommands(program: Command): void {
  program.commandsGroup('Accounts:')
  program
    .command('user')
    .summary('create an account')
    .description('Creates an account, and prints its password and API key once.')
    .argument('<name>', 'username')
    .argument('<email>', 'email address')
    .option('--developer', 'permit the account to create accounts and login links')
    .addHelpText('after', '\nExample:\n  canvass user ann ann@example.org')
    .action(async (name: string, email: string, options: { developer?: boolean }) =>
      (await import('./account.ts')).runUser(name, email, options),
    )
  const users = program
    .command('users')
    .summary('list, disable and enable accounts, and name administrators')
    .usage('[options] [text]\n       canvass users grant|revoke|disable|enable <name>')
    .description('Lists the accounts: last visit, surveys, plan, and whether there is a second factor.')
    .argument('[text]', 'only accounts whose username, email address or name contains this text')
    .option('--json', 'print JSON')
    .action(async (text: string | undefined, options: { json?: boolean }) =>
      (await import('./users.ts')).run(text, options),
    )
  const changes = {
    grant: 'make an account an administrator, who sees the page /administration/',
    revoke: 'remove an administrator; the last one stays',
    disable: 'stop an account: sign-in, sessions, API keys and applications; its live surveys keep collecting',
    enable: 'let an account sign in again',
  }
  for (const [name, summary] of Object.entries(changes))
    users
      .command(name)
      .description(summary)
      .argument('<name>', 'username or email address')
      .action(async (account: string) => (await import('./users.ts')).runChange(name, account))
  program
    .command('password')
    .summary('set a new password')
    .description(
      'Sets a new password for an account and prints it once. Ends its sessions and the access of its applications.',
    )
    .argument('<name>', 'username or email address')
    .action(async (name: string) => (await import('./account.ts')).runPassword(name))
  program
    .command('second-factor')
    .summary('remove the second factor of an account')
    .description('Removes the app, passkeys and recovery codes of a person who has lost them. Their password stays.')
    .argument('<name>', 'username or email address')
    .action(async (name: string) => (await import('./account.ts')).runSecondFactor(name))
  program
    .command('email')
    .summary('set an email address')
    .description('Sets the email address of an account without confirmation. The old address is notified.')
    .argument('<name>', 'username or email address')
    .argument('<address>', 'new email address')
    .action(async (name: string, address: string) => (await import('./account.ts')).runEmail(name, address))
  program
    .command('mail')
    .summary('send a test message')
    .description('Sends a test message through the mail server, and prints its reply if it refuses the message.')
    .command('test')
    .description('Sends a test message through the mail server, and prints its reply if it refuses the message.')
    .argument('<address>', 'recipient')
    .action(async (address: string) => (await import('./mail-test.ts')).run(address))
  program
    .command('bounce')
    .summary('record a message to BOUNCE_ADDRESS')
    .description(
      'Reads a message to BOUNCE_ADDRESS from the standard input, for a pipe of a mail server, and records that an invitation was not delivered.\nExits with 75 if the mail server is to try again later.',
    )
    .argument('[recipient...]', 'addresses to which the message was sent, if it does not contain them')
    .addHelpText(
      'after',
      `\nExample (/etc/postfix/master.cf, see docs/operations.md):\n  canvass unix - n n - - pipe flags=R user=canvass argv=/usr/local/bin/canvass bounce \${original_recipient}`,
    )
    .action(async (recipients: string[]) => (await import('./bounce.ts')).run(recipients))
  program
    .command('plan')
    .summary('set the plan of an account')
    .description('Sets the plan of an account: its limit of API requests, as listed in RATE_LIMITS.')
    .argument('<name>', 'username or email address')
    .argument('<plan>', 'name of a plan, for example standard')
    .action(async (name: string, plan: string) => (await import('./account.ts')).runPlan(name, plan))
  program
    .command('seed')
    .summary('create a demo account')
    .description('Creates a demo account with a survey and responses, and prints its password and API key once.')
    .argument('[responses]', 'number of responses', '200')
    .action(async (responses: string) => (await import('./demo.ts')).runSeed(responses))
}

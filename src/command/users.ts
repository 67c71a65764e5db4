import { ConfigError } from '../config.ts'
import { COMMAND_LINE, disableAccount, enableAccount, setAdministrator } from '../domain/account/administrator.ts'
import { findAccountByLogin } from '../domain/account/credentials.ts'
import { type AccountSummary, MAX_COUNTED_SURVEYS, readAccounts } from '../domain/administration/accounts.ts'
import type { PublicContext } from '../domain/context.ts'
import { withService } from './service.ts'

const day = (at: Date | null): string | null => at?.toISOString().slice(0, 10) ?? null

/** Number of accounts that are read at a time. */
const BATCH = 1_000

/** `users [text]`: prints all accounts, or those whose username, email address or name contains the text. */
export async function run(text = '', { json = false }: { json?: boolean } = {}): Promise<void> {
  await withService(async ({ orm }) => {
    const accounts: AccountSummary[] = []
    for (let offset = 0; offset === accounts.length; offset += BATCH)
      accounts.push(...(await readAccounts({ em: orm.em.fork() }, { text, order: 'oldest' }, { offset, limit: BATCH })))
    if (json) return console.log(JSON.stringify(accounts.map(printed), undefined, 2))
    const lines = [
      ['username', 'email', 'created', 'last seen', 'surveys', 'plan', ''],
      ...accounts.map((account) => {
        const { username, email, created, seen, surveys, plan } = printed(account)
        const shown = surveys > MAX_COUNTED_SURVEYS ? `>${MAX_COUNTED_SURVEYS}` : String(surveys)
        return [username, email, created ?? '', seen ?? '', shown, plan, statesOf(account)]
      }),
    ]
    const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
    for (const line of lines)
      console.log(
        line
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd(),
      )
  })
}

const printed = (account: AccountSummary) => ({
  username: account.username,
  email: account.email,
  created: day(account.createdAt),
  seen: day(account.seenAt),
  surveys: account.surveys,
  plan: account.plan,
  developer: account.isDeveloper,
  secondFactor: account.hasSecondFactor,
  administrator: account.isAdministrator,
  disabled: account.disabledAt !== null,
})

const statesOf = ({ disabledAt, isAdministrator, isDeveloper, hasSecondFactor }: AccountSummary): string =>
  [disabledAt && 'disabled', isAdministrator && 'administrator', isDeveloper && 'developer']
    .concat(hasSecondFactor && 'second factor')
    .filter(Boolean)
    .join(', ')

type Change = (context: PublicContext, accountId: number) => Promise<boolean>

/** What the commands do, and what they print: after the change, and if there was nothing to change. */
const CHANGES: Readonly<Record<string, readonly [Change, done: string, unchanged: string]>> = {
  grant: [
    (context, id) => setAdministrator(context, COMMAND_LINE, id, true),
    'is an administrator now.',
    'is an administrator already.',
  ],
  revoke: [
    (context, id) => setAdministrator(context, COMMAND_LINE, id, false),
    'is no longer an administrator.',
    'is not an administrator.',
  ],
  disable: [
    (context, id) => disableAccount(context, COMMAND_LINE, id),
    'is disabled. Live surveys keep collecting responses.',
    'is disabled already.',
  ],
  enable: [(context, id) => enableAccount(context, COMMAND_LINE, id), 'is enabled.', 'is enabled already.'],
}

/** `users grant|revoke|disable|enable <name>`: changes an account. */
export async function runChange(command: string, name: string): Promise<void> {
  const [change, done, unchanged] = CHANGES[command]!
  await withService(async ({ orm, services }) => {
    const hasChanged = await orm.em.fork().transactional(async (em) => {
      const account = await findAccountByLogin(em, name)
      if (!account) throw new ConfigError(`There is no account with the username or email address ${name}.`)
      return change({ em, now: new Date(), services }, account.id)
    })
    console.log(`${name} ${hasChanged ? done : unchanged}`)
  })
}

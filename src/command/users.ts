import { sql } from 'kysely'
import type { Tables } from '../domain/tables.ts'
import { withService } from './service.ts'

interface User {
  username: string
  email: string
  created: string
  /** When the user last opened a page; null: no session is left. */
  seen: string | null
  surveys: number
  plan: string
  developer: boolean
  secondFactor: boolean
}

/** `users [text]`: prints all accounts, or those whose username or email address contains the text. */
export async function run(search = '', { json = false }: { json?: boolean } = {}): Promise<void> {
  await withService(async ({ orm }) => {
    const contains = `%${search.replace(/[\\%_]/g, '\\$&')}%`
    const { rows } = await sql<User>`
      select a.username, a.email, a.created_at::date::text as created, a.plan, a.is_developer as developer,
        (select max(seen_at)::date::text from session where account_id = a.id) as seen,
        (select count(*)::integer from survey where owner_id = a.id) as surveys,
        exists (select from second_factor where account_id = a.id) as "secondFactor"
      from account a where a.username ilike ${contains} or a.email ilike ${contains} order by a.id
    `.execute(orm.em.fork().getKysely<Tables>())
    if (json) return console.log(JSON.stringify(rows, undefined, 2))
    const lines = [
      ['username', 'email', 'created', 'last seen', 'surveys', 'plan', ''],
      ...rows.map((user) => [
        user.username,
        user.email,
        user.created,
        user.seen ?? '',
        String(user.surveys),
        user.plan,
        [user.developer && 'developer', user.secondFactor && 'second factor'].filter(Boolean).join(', '),
      ]),
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

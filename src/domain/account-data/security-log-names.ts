import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { visibleTo } from '../group/access.ts'
import { groupVisibleTo } from '../group/queries.ts'
import type { SecurityEntry } from '../security/queries.ts'
import type { Tables } from '../tables.ts'

/** The names of one kind of object, by ID. */
type Names = ReadonlyMap<number, string>

/** The names of the objects in entries of the security log. */
export interface SecurityLogNames {
  accounts: Names
  applications: Names
  groups: Names
  keys: Names
  surveys: Names
}

/**
 * Returns the names of the objects in entries of the security log, with one query for each kind of object. The log
 * itself contains no names, because it contains no personal data. Objects that no longer exist, and objects that the
 * actor may not see, are omitted.
 */
export async function findSecurityLogNames(
  context: Context,
  entries: readonly Pick<SecurityEntry, 'chain' | 'by' | 'details'>[],
): Promise<SecurityLogNames> {
  const idsOf = (...members: string[]) => [
    ...new Set(entries.flatMap(({ details }) => members.map((member) => details[member])).filter(isId)),
  ]
  return {
    accounts: await findNames(
      [...new Set([...idsOf('by', 'member', 'from', 'to'), ...entries.flatMap(({ by }) => by ?? [])])],
      (ids) => accounts(context, ids, colleagues(entries)),
    ),
    applications: await findNames(idsOf('application'), (ids) => applications(context, ids)),
    groups: await findNames(idsOf('group'), (ids) => groups(context, ids)),
    keys: await findNames(idsOf('key'), (ids) => keys(context, ids)),
    surveys: await findNames(idsOf('survey'), (ids) => surveys(context, ids)),
  }
}

const isId = (value: unknown): value is number => typeof value === 'number' && value > 0

async function findNames(
  ids: number[],
  query: (ids: number[]) => { execute(): Promise<{ id: number; name: string }[]> },
): Promise<Names> {
  const rows = ids.length ? await query(ids).execute() : []
  return new Map(rows.filter(({ name }) => name !== '').map(({ id, name }) => [id, name]))
}

const db = ({ em }: Context) => em.getKysely<Tables>()

/** The people in the log of a survey: its owner knows them, even after they have left. Those in the log of the installation. */
const colleagues = (entries: readonly Pick<SecurityEntry, 'chain' | 'by' | 'details'>[]): number[] => [
  ...new Set(
    entries
      .filter(({ chain }) => chain <= 0)
      .flatMap(({ by, details: { member, from, to } }) => [by, member, from, to].filter(isId)),
  ),
]

/** The actor, people in the logs of its surveys, the owners and members of its groups, and administrators. */
const accounts = (context: Context, ids: number[], known: number[]) => {
  const visible = db(context).selectFrom('account_group').where(groupVisibleTo(context.actor))
  const members = visible
    .innerJoin('group_member', 'group_member.group_id', 'account_group.id')
    .select('group_member.account_id as id')
  return db(context)
    .selectFrom('account')
    .select(['account.id', sql<string>`coalesce(nullif(account.name, ''), account.username)`.as('name')])
    .where('account.id', 'in', ids)
    .where((eb) =>
      eb.or([
        eb('account.id', '=', eb.fn.any(eb.val([context.actor.id, ...known]))),
        eb('is_administrator', '=', true),
        eb('account.id', 'in', visible.select('account_group.owner_id as id').union(members)),
      ]),
    )
}

/** The applications that the actor registered or authorized. */
const applications = (context: Context, ids: number[]) =>
  db(context)
    .selectFrom('oauth_application')
    .select(['oauth_application.id', 'oauth_application.name'])
    .where('oauth_application.id', 'in', ids)
    .where((eb) =>
      eb.or([
        eb('owner_id', '=', context.actor.id),
        eb(
          'oauth_application.id',
          'in',
          eb.selectFrom('oauth_grant').select('application_id').where('account_id', '=', context.actor.id),
        ),
      ]),
    )

const groups = (context: Context, ids: number[]) =>
  db(context)
    .selectFrom('account_group')
    .select(['account_group.id', 'account_group.name'])
    .where('account_group.id', 'in', ids)
    .where(groupVisibleTo(context.actor))

const keys = (context: Context, ids: number[]) =>
  db(context)
    .selectFrom('api_key')
    .select(['id', 'name'])
    .where('id', 'in', ids)
    .where('account_id', '=', context.actor.id)
    .where('revoked_at', 'is', null)

const surveys = (context: Context, ids: number[]) =>
  db(context)
    .selectFrom('survey')
    .select(['survey.id', 'survey.name'])
    .where('survey.id', 'in', ids)
    .where(visibleTo(context.actor))

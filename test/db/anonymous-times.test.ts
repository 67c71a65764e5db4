import { describe, expect, test } from '@jest/globals'
import { CompiledQuery, sql } from 'kysely'
import { Migration20261122080001_anonymous_times as AnonymousTimes } from '../../src/db/migrations/Migration20261122080001_anonymous_times.ts'
import { createCodes } from '../../src/domain/invitation/codes.ts'
import { respond } from '../support/respondents.ts'
import { addSurvey, storedResponses } from '../support/surveys.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

describe('the migration of anonymous responses', () => {
  test('truncates the times of anonymous responses to the hour, erases identities, and does not change other surveys', async () => {
    const ann = await world.person()
    const identity = { username: 'zoe', inviteEmail: 'zoe@example.org', completionTime: 77, inviteCode: 'abcd1234' }
    const created = []
    for (const anonymous of [true, false]) {
      const { survey } = await addSurvey(ann, { title: 'Tea' })
      const [code] = await ann.act((context) => createCodes(context, survey.id, { count: 1 }))
      await respond(world, survey.id, {
        ...identity,
        inviteCode: code!.code,
        createdAt: '2026-01-02T03:04:05.678Z',
      })
      survey.settings = { ...survey.settings, anonymous }
      created.push(survey)
    }
    const em = world.em()
    const db = em.getKysely()
    for (const { id, settings } of created)
      await sql`update survey set settings = ${JSON.stringify(settings)}::jsonb where id = ${id}`.execute(db)
    await sql`update invite set viewed_at = '2026-01-02T03:04:04Z'`.execute(db)

    const migration = new AnonymousTimes(em.getDriver(), world.application.orm.config)
    migration.up()
    // A later migration renamed the table response_summary to response_rollup.
    const statements = migration
      .getQueries()
      .map((query) => String(query).replace('response_summary', 'response_rollup'))
    for (const statement of statements.filter((text) => /^(update|delete)/.test(text)))
      await db.executeQuery(CompiledQuery.raw(statement))

    const stored = await Promise.all(created.map(({ id }) => storedResponses(world, id)))
    const [anonymous, identified] = stored.map(([response]) => response)
    const hour = new Date('2026-01-02T03:00:00Z').getTime()
    expect(anonymous).toMatchObject({ username: '', invite_email: null, invite_code: null, completion_time: null })
    for (const time of [anonymous!.created_at, anonymous!.updated_at]) expect(new Date(time).getTime()).toBe(hour)
    expect(identified).toMatchObject({ username: 'zoe', invite_email: 'zoe@example.org', completion_time: 77 })
    const { rows } =
      await sql`select viewed_at is null as unseen, used_on is not null as used from invite order by id`.execute(db)
    expect(rows).toEqual([
      { unseen: true, used: true },
      { unseen: false, used: false },
    ])
  })
})

import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createDraft, emailProgress, sendDraft } from '../support/emails.ts'
import { useMailbox } from '../support/mailbox.ts'
import { type Person, useWorld, type World } from '../support/world.ts'

const mailbox = useMailbox()
const limited = useWorld({ smtp: () => mailbox.url, settings: { SMTP_PER_MINUTE: '4', SMTP_PER_HOUR: '10' } })
const unlimited = useWorld({ smtp: () => mailbox.url })
beforeEach(() => {
  mailbox.messages = []
  mailbox.senderReply = ''
})

/** Queues an email to new contacts, and moves the clock to the start of an hour. @returns its ID */
async function send(world: World, ann: Person, number: number): Promise<number> {
  world.now = new Date(Math.ceil(world.now.getTime() / 3_600_000) * 3_600_000)
  const survey = (await ann.post('/api/v3/surveys/', { form: { name: 'Tea' } })).body
  const recipients = Array.from({ length: number }, (_, index) => ({
    create: { name: `${survey.id} ${index}`, email: `p${index}@example.net` },
  }))
  const email = await createDraft(ann, survey.id, recipients)
  await sendDraft(ann, email)
  return email
}
const advance = async (world: World, minutes: number) => {
  world.now = new Date(world.now.getTime() + minutes * 60_000)
  await world.runJobs()
}

describe('SMTP_PER_MINUTE and SMTP_PER_HOUR', () => {
  let ann: Person
  beforeAll(async () => {
    ann = await limited.person({ username: 'ann' })
  })

  test('limit the messages of all emails together, without counted attempts', async () => {
    const first = await send(limited, ann, 8)
    const second = await send(limited, ann, 8)
    const sent = []
    await limited.runJobs()
    sent.push(mailbox.messages.length)
    for (let minute = 0; minute < 4; minute += 1) {
      await advance(limited, 1)
      sent.push(mailbox.messages.length)
    }
    expect(sent).toEqual([4, 8, 10, 10, 10])
    const { rows } = await limited.application.services.pool.query(
      `select max(attempts)::int as attempts from email_message where state = 'queued'`,
    )
    expect(rows[0].attempts).toBe(0)
    await advance(limited, 57)
    await advance(limited, 1)
    expect(mailbox.messages).toHaveLength(16)
    for (const email of [first, second])
      expect(await emailProgress(ann, email)).toMatchObject({ status: 'sent', sent: 8, failed: 0 })
  })
})

describe('a limit that the mail server shows', () => {
  test.each(['450 4.7.1 Error: too much mail', '421 4.7.0 Too many messages'])(
    'with %s is kept for the next messages',
    async (reply) => {
      const ann = await unlimited.person()
      let allowed = 6
      let refused = 0
      mailbox.senderReply = () => {
        allowed -= 1
        if (allowed >= 0) return ''
        refused += 1
        return reply
      }
      const email = await send(unlimited, ann, 24)
      await unlimited.runJobs()
      expect(mailbox.messages).toHaveLength(6)
      expect(refused).toBeGreaterThan(0)
      refused = 0
      for (let minute = 0; minute < 5; minute += 1) {
        allowed = 6
        await advance(unlimited, 1)
      }
      expect(refused).toBe(0)
      expect(await emailProgress(ann, email)).toMatchObject({ status: 'sent', sent: 24 })
    },
  )
})

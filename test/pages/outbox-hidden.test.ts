import { expect, test } from '@jest/globals'
import { useMailbox } from '../support/mailbox.ts'
import { useWorld } from '../support/world.ts'

const mailbox = useMailbox()
const world = useWorld({ smtp: () => mailbox.url })

test('/dev/outbox/ is not there where mail is sent', async () => {
  expect((await world.nobody.get('/dev/outbox/')).status).toBe(404)
})

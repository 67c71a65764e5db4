import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { audit } from '../../tools/faults/audit.ts'
import { startLoad } from '../../tools/faults/load.ts'
import { createTarget } from '../../tools/faults/service.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld({ realTime: true })

describe('the audit of chaos', () => {
  test('waits until no response is being stored any more, and then finds every count equal', async () => {
    const ann = await world.person()
    const auth = `${ann.apiKey}:${ann.password}`
    const target = await createTarget(world.base, auth)
    const load = startLoad([world.base], { auth, target, seed: 1, clients: 2, minimum: 20 })
    await load.stop()
    const late = submitForSeconds(async (marker) => {
      load.written.set(marker, { marker, acknowledged: false, unknownNotes: new Set() })
      const reply = await fetch(`${world.base}/api/v3/surveys/${target.id}/responses/`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(auth)}` },
        body: new URLSearchParams({ marker, _completed: '1' }),
      })
      expect(reply.status).toBe(201)
    })
    const result = await audit(load, { base: world.base, auth, target, databaseUrl: world.databaseUrl })
    expect(await late).toBeGreaterThan(10)
    expect(result).toEqual({ lost: [], doubled: [], inconsistent: [] })
  })
})

/** Submits responses one after the other for two seconds, with short pauses. @returns their number */
async function submitForSeconds(submit: (marker: string) => Promise<void>): Promise<number> {
  let count = 0
  for (const end = Date.now() + 2_000; Date.now() < end; await pause(5)) await submit(`late-${count++}`)
  return count
}

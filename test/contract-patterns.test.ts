import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { parseSender } from '../src/domain/email-address.ts'
import { type Person, useWorld } from './support/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: reads any member of a contract
type Json = any

const contractOf = (version: string): Json => JSON.parse(readFileSync(`generated/${version}/openapi.json`, 'utf8'))
const FALLBACK = { v2: 'survey_not_found', v3: 'survey_not_found' }

/** Calls a function with each object in a document. */
function visit(value: Json, found: (object: Json) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) found(value)
  for (const member of Object.values(value)) visit(member, found)
}

describe.each(['v2', 'v3'] as const)('the contract %s, for tools of other projects', (version) => {
  const contract = contractOf(version)

  it('has no pattern with a lookahead, a lookbehind or the escape of a character outside of ASCII', () => {
    const patterns: string[] = []
    visit(contract, ({ pattern }) => typeof pattern === 'string' && patterns.push(pattern))
    expect(patterns.length).toBeGreaterThan(30)
    expect(patterns.filter((pattern) => /\(\?(?!:)|\\u|\\x[89a-f]/i.test(pattern))).toEqual([])
    for (const pattern of patterns) expect(() => new RegExp(pattern, 'u')).not.toThrow()
  })

  it('has an example at each required parameter, where most tools look for it', () => {
    const parameters: Json[] = []
    visit(contract.paths, ({ parameters: list }) => Array.isArray(list) && parameters.push(...list))
    parameters.push(...Object.values(contract.components.parameters))
    const required = parameters.filter((parameter) => parameter.required)
    expect(required.length).toBeGreaterThanOrEqual(20)
    expect(required.filter(({ example, examples }) => (example ?? examples) === undefined)).toEqual([])
  })

  it('has no example of all errors, which mock servers prefer to the examples of a reply', () => {
    const { schemas } = contract.components
    const error = version === 'v2' ? schemas.Error : schemas.Problem
    expect(error.type).toBe('object')
    expect([error.example, error.examples]).toEqual([undefined, undefined])
    expect(JSON.stringify(contract.components.responses)).toContain(FALLBACK[version])
  })

  it('allows flags without a value', () => {
    const flags: Json[] = []
    const isFlag = ({ in: place, schema }: Json) => place === 'query' && schema?.$ref === '#/components/schemas/Flag'
    visit(contract, (object) => isFlag(object) && flags.push(object))
    expect(flags.length).toBeGreaterThan(5)
    expect(flags.filter(({ allowEmptyValue }) => !allowEmptyValue)).toEqual([])
  })
})

describe('the sender of an email', () => {
  const world = useWorld()
  let ann: Person
  beforeAll(async () => {
    ann = await world.person()
  })
  /** Returns whether the contract accepts a sender; the message names the field that it rejects. */
  const accepts = async (sender: string) => {
    const { body } = await ann.post('/api/v3/surveys/999999/invites/', {
      json: { name: 'A', email: 'a@b.example', sender },
    })
    return !JSON.stringify(body.errors ?? []).includes('sender')
  }

  it('can have a local part of 64 characters and an address of 254, as before, and not more', async () => {
    const domain = (length: number) => `${'d'.repeat(length - '.example'.length)}.example`
    for (const [local, whole, isValid] of [
      [64, 200, true],
      [65, 200, false],
      [10, 254, true],
      [10, 255, false],
    ] as const) {
      const address = `${'l'.repeat(local)}@${domain(whole - local - 1)}`
      for (const sender of [`Ann <${address}>`, `"A <b@c> n" <${address}`])
        expect([sender, await accepts(sender)]).toEqual([sender, isValid])
    }
  })

  it('is rejected by the contract exactly if the service rejects it (property)', () => {
    const { anyOf } = contractOf('v3').components.schemas.Sender
    const matches = ({ pattern, not }: Json, text: string): boolean =>
      (!pattern || new RegExp(pattern, 'u').test(text)) && !not?.anyOf.some((other: Json) => matches(other, text))
    const local = fc.string({ unit: fc.constantFrom(...'ab.<>@"é'), maxLength: 70 })
    const name = fc.string({ unit: fc.constantFrom(...'A "<@'), maxLength: 80 })
    const sender = fc.tuple(name, local).map(([shown, part]) => `${shown}<${part}@b.example>`)
    fc.assert(
      fc.property(sender, (text) => {
        if (matches(anyOf[1], text)) expect(parseSender(text)).toBeDefined()
      }),
      { numRuns: 2_000 },
    )
  })
})

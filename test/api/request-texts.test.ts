import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { delayOf } from '../../src/domain/email/send.ts'
import { parseSender } from '../../src/domain/email-address.ts'
import { parseRoles } from '../../src/domain/group/group.ts'
import { metaCondition } from '../../src/domain/response/filter/filter.ts'
import { parseIsoDatetime } from '../../src/domain/structure/datetime.ts'
import fc from '../support/fast-check.ts'

interface TextSchema {
  pattern?: string
  not?: { anyOf: TextSchema[] }
  maxLength?: number
  anyOf?: TextSchema[]
  properties?: Record<string, TextSchema>
}
const { components } = JSON.parse(readFileSync(new URL('../../generated/v3/openapi.json', import.meta.url), 'utf8'))
const groups = JSON.parse(readFileSync(new URL('../../generated/v2/openapi.json', import.meta.url), 'utf8')).components
const schema = (name: string): TextSchema => components.schemas[name]
interface Rule {
  /** The pattern without what `not` excludes. */
  source: string
  test(text: string): boolean
}
function ruleOf({ pattern, not }: TextSchema): Rule {
  const regex = new RegExp(pattern!, 'u')
  const excluded = (not?.anyOf ?? []).map(ruleOf)
  return { source: regex.source, test: (text) => regex.test(text) && !excluded.some((one) => one.test(text)) }
}

const time = ruleOf(schema('SettingsChange').properties!.open_at!)
const filterTime = ruleOf(schema('FilterTime'))
const completion = ruleOf(schema('FilterCompletion'))
const mailbox = ruleOf(schema('Sender').anyOf![1]!)
const delay = ruleOf(schema('Delay'))
const roles = ruleOf(groups.schemas.MemberChange.properties.roles)

const acceptsTime = (text: string) => {
  const parsed = text.trim() === '' || parseIsoDatetime(text.trim())
  return parsed === true || (parsed !== undefined && parsed.format !== 'time')
}
const accepts = (parse: () => unknown) => {
  try {
    return parse() !== undefined
  } catch {
    return false
  }
}

/** Each rule of the contract, the parser of the service, texts that it accepts, and texts that it rejects. */
const rules: [string, Rule, (text: string) => boolean, string[], string[]][] = [
  [
    'open_at',
    time,
    acceptsTime,
    ['', ' ', '2024-02-29', '2000-02-29', '2024-01-31T09:30', '2024-01-31 09:30:10.5+02:00', '2024-12-31t23:59:59,5z'],
    ['2023-02-29', '1900-02-29', '0099-01-01', '2024-13-01', '2024-04-31', '09:30', '2024-01-31T24:00', 'soon'],
  ],
  [
    '_created_at',
    filterTime,
    (text) => !('code' in metaCondition('_created_at', '=', text)),
    ['2024-02-29', '2024-01-31T09:30:00 02:00', ' 2024-01-31 09:30Z'],
    ['', '2023-02-29', '>2024-01-31', '2024-01', '09:30'],
  ],
  [
    '_completed',
    completion,
    (text) => !('code' in metaCondition('_completed', '=', text)),
    ['', '0', '1', '2', '1.0', '01'],
    ['3', '-1', '1.5', 'yes', ' 1'],
  ],
  [
    'sender',
    mailbox,
    (text) => parseSender(text) !== undefined,
    [
      'Ann <ann@example.org>',
      'Ann <ann@example.org',
      '"Ann, Bob" <a@b.c>',
      '<a@b.c>',
      `Ann <a@${'b'.repeat(250)}.c>`,
      'Ann<ä@ü.example>',
      'A < a@b.c > ',
    ],
    [
      `Ann <a@${'b'.repeat(251)}.c>`,
      'Ann',
      'Ann <a@b>',
      'Ann <a b@c.d>',
      'Ann <a@b.c> x',
      'Ann\n<a@b.c>',
      'A <a..b@c.d>',
      'A <"a"@c.d>',
      '<<a@b.c>',
    ],
  ],
  [
    'scheduled',
    delay,
    (text) => text.trim() === '' || delayOf(text) !== undefined,
    ['', ' ', '1d', '1w2d', '1h 30m', '1h+30m', '3', '3.5', '1.5h', '521w'],
    ['1x', 'd', '1d ,', '1d+', '-1d', '2026-03-01', '1 d'],
  ],
  [
    'roles',
    roles,
    (text) => accepts(() => parseRoles(text)),
    ['', 'edit', 'EDIT deploy', ' test\tAnalyze '],
    ['boss', 'edit boss', 'editdeploy', 'edit,deploy'],
  ],
]

describe.each(rules)('The rule for %s in the contract', (_, rule, isAccepted, valid, invalid) => {
  test('accepts and rejects the same texts as the service', () => {
    for (const text of valid) expect([text, rule.test(text), isAccepted(text)]).toEqual([text, true, true])
    for (const text of invalid) expect([text, rule.test(text), isAccepted(text)]).toEqual([text, false, false])
  })
  test('accepts no text that the service rejects', () => {
    const generated = new RegExp(rule.source, 'u')
    fc.assert(
      fc.property(
        fc.stringMatching(generated, { size: 'small' }).filter((text) => text.length <= 60 && rule.test(text)),
        (text) => {
          expect([text, isAccepted(text)]).toEqual([text, true])
        },
      ),
    )
  })
})

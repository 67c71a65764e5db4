import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import type { Setting } from '../src/lib/settings.ts'
import { SETTINGS } from '../src/settings.ts'

/** The settings in `.env.example`, each with the comment above it. */
const documented = [...readFileSync('.env.example', 'utf8').matchAll(/((?:^#.*\n)*)^#?([A-Z][A-Z0-9_]+)=(.*)$/gm)].map(
  ([line, comment, name, value]) => ({
    name: name!,
    text: comment!.replace(/^# ?/gm, '').replaceAll('\n', ' '),
    default: line!.includes(`#${name}=`) ? undefined : value!.replaceAll('"', ''),
  }),
)

describe('.env.example', () => {
  it('lists all settings in the order of the table, with their defaults', () => {
    expect(documented.map(({ name, default: value }) => [name, value])).toEqual(
      Object.entries<Setting<unknown>>(SETTINGS).map(([name, { default: value }]) => [name, value]),
    )
  })

  it.each(documented)('contains in the description of $name the sentence that `canvass config` prints', (entry) => {
    expect(entry.text).toContain(SETTINGS[entry.name as keyof typeof SETTINGS].meaning)
  })
})

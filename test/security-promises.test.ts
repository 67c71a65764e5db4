import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'

const text = readFileSync('SECURITY.md', 'utf8')
const section = /## Anonymous surveys\n(.*?)\nWhat these promises do not cover:/s.exec(text)![1]!
/** The promises, each in one line. */
const promises = section
  .split(/^(?=\d+\. )/m)
  .slice(1)
  .map((item) => item.replace(/\s+/g, ' ').trim())

const testsIn = (promise: string) =>
  [...promise.matchAll(/`(test\/[\w./-]+\.test\.ts)`: “([^”]+)”/g)].map(([, file, title]) => ({
    file: file!,
    title: title!,
  }))

describe('the promises of SECURITY.md about anonymous surveys', () => {
  test('each name a test', () => {
    expect(promises.length).toBeGreaterThan(15)
    expect(promises.filter((promise) => testsIn(promise).length === 0)).toEqual([])
    expect(promises.map((promise) => Number.parseInt(promise, 10))).toEqual(promises.map((_, index) => index + 1))
  })

  test('name only tests that exist and are not skipped', () => {
    const missing = promises.flatMap(testsIn).filter(({ file, title }) => {
      const source = readFileSync(file, 'utf8')
      return !['test', 'it'].some((name) =>
        ["'", '"', '`'].some((quote) => source.includes(`\n  ${name}(${quote}${title}`)),
      )
    })
    expect(missing).toEqual([])
  })
})

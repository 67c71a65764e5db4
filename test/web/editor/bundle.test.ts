import { describe, expect, test } from '@jest/globals'
import { assetPath } from '../../../src/web/assets.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld()

describe('the bundled editor script', () => {
  test('is served under an address with its digest and contains the licences of its dependencies', async () => {
    const path = assetPath('editor.js')
    expect(path).toMatch(/^\/assets\/editor\.[0-9a-f]{12}\.js$/)
    const reply = await fetch(`${world.base}${path}`)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(reply.headers.get('cache-control')).toContain('immutable')
    const script = await reply.text()
    const licences = script.slice(script.indexOf('/*! '))
    for (const name of ['@codemirror/view', '@lezer/lr', 'jsonc-parser', 'style-mod', 'w3c-keyname'])
      expect(licences).toContain(name)
    expect(licences).toContain('Permission is hereby granted, free of charge')
    // The content security policy has no 'unsafe-eval', so browsers would not execute these calls.
    expect(script).not.toMatch(/\beval\(|new Function\(/)
    expect(script.length).toBeLessThan(600_000)
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { fillTokens, fillTokensInHtml } from '../../../src/domain/email/tokens.ts'
import { trusted } from '../../../src/lib/html.ts'

const robin = {
  inviteLink: 'https://x.example/i',
  unsubscribeLink: 'https://x.example/u',
  name: 'robin@example.org',
  email: 'Robin@example.org',
  custom: {},
}

describe('fillTokens', () => {
  test.each([
    ['Hi [Full Name],', 'Hi,'],
    ['Hola, [Full Name]:', 'Hola:'],
    ['Dzień dobry, [Full Name]!', 'Dzień dobry!'],
    ['مرحبًا [Full Name]،', 'مرحبًا،'],
    ['[Full Name] 님, 안녕하세요.', '안녕하세요.'],
    ['[Full Name]，您好！', '您好！'],
    ['Tea for [Full Name] and you', 'Tea for and you'],
    ['https://x.example/?n=[Full Name]', 'https://x.example/?n='],
    ['[Email]', 'Robin@example.org'],
  ])('greets a contact without a name without the address: %s [spec 9.4]', (text, filled) => {
    expect(fillTokens(text, robin)).toBe(filled)
    expect(fillTokens(text, { ...robin, name: ' ' })).toBe(filled)
    const named = fillTokens(text, { ...robin, name: 'Robin' })
    expect(named).toBe(text.replace('[Full Name]', 'Robin').replace('[Email]', 'Robin@example.org'))
  })

  test('leaves no address, no double space and no lonely punctuation in the reminder of any language', () => {
    for (const language of readdirSync('src/texts', { withFileTypes: true }).filter((each) => each.isDirectory())) {
      const { reminderText } = JSON.parse(readFileSync(`src/texts/${language.name}/invitations.json`, 'utf8'))
      const [greeting = ''] = fillTokens(reminderText, robin).split('\n')
      expect([language.name, greeting]).toEqual([
        language.name,
        expect.not.stringMatching(/@|\[|^[\s,，、]|[\s],|様|님/),
      ])
    }
  })

  test('does the same in HTML', () => {
    const filled = fillTokensInHtml(trusted('<p>Hi [Full Name],</p><p>[Full Name], hello</p>'), robin)
    expect(`${filled}`).toBe('<p>Hi,</p><p>hello</p>')
  })
})

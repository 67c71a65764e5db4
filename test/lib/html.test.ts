import { describe, expect, it } from '@jest/globals'
import { html, printHtml, trusted } from '../../src/lib/html.ts'
import { templateTranslator } from '../../src/web/i18n/rewrite-template.ts'

describe('line breaks in a template', () => {
  const value = 'v'

  it('print nothing beside tags, if an indentation follows', () => {
    const page = html`
      <ul>
        <li>${value}</li>
        ${value}
        ${html`<li
          class="x"
        >`}Last</li>
      </ul>`
    expect(String(page)).toBe('<ul><li>v</li>v<li class="x">Last</li></ul>')
  })

  it('print a space between words, between attributes, and between a word and a value', () => {
    const page = html`
      <input
        name="a"
        value="${value}"
        required>
      <p>
        Two words of
        ${value} and
        the rest.
      </p>`
    expect(String(page)).toBe('<input name="a" value="v" required><p>Two words of v and the rest.</p>')
  })

  it('are printed at the left edge, as before a text in a text area', () => {
    const page = html`
      <textarea>
${value}</textarea>`
    expect(String(page)).toBe('<textarea>\nv</textarea>')
  })

  it('do not change the texts that are translated', () => {
    const translator = templateTranslator((text) => (text === 'Two short lines' ? 'Kurze Zeilen' : undefined))
    const page = html`
      <p>
        Two short
        lines
      </p>`
    expect(printHtml(page, translator)).toBe('<p>Kurze Zeilen</p>')
    expect(printHtml(html`<div>${[page, trusted('<p>Two short lines</p>')]}</div>`, translator)).toBe(
      '<div><p>Kurze Zeilen</p><p>Two short lines</p></div>',
    )
  })
})

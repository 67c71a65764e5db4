import type { Finding } from '../../lib/finding.ts'

/** Collects the findings of one group of checks. */
export class Findings {
  readonly #list: Finding[]
  readonly #group: string

  /**
   * @param list receives the findings
   * @param group the first part of the names of the checks
   */
  constructor(list: Finding[], group: string) {
    this.#list = list
    this.#group = group
  }

  ok(name: string, message: string): void {
    this.#add({ check: name, status: 'ok', message })
  }

  warning(name: string, message: string, mend: string): void {
    this.#add({ check: name, status: 'warning', message, mend })
  }

  error(name: string, message: string, mend: string): void {
    this.#add({ check: name, status: 'error', message, mend })
  }

  /**
   * Adds an error. The first sentence of the message is the finding, and the sentences after it state what to do.
   * @param mend what to do if the message has only one sentence
   */
  explained(name: string, message: string, mend: string): void {
    const [, sentence, rest] = /^(.*?[.:])\s+([A-Z].*)$/s.exec(message) ?? []
    this.error(name, sentence ?? message, rest ?? mend)
  }

  #add(finding: Finding): void {
    this.#list.push({ ...finding, check: `${this.#group}.${finding.check}` })
  }
}

/** Returns the message of an error, or its code if it has no message. */
export const reasonOf = (error: unknown): string => {
  // `fetch` throws an error that has the reason in `cause`. If a host has several addresses and none can be reached,
  // the error has no message, and `errors` has one error for each address.
  const { message, code, cause, errors } = error as Error & { code?: string; cause?: Error; errors?: Error[] }
  if (cause) return reasonOf(cause)
  return message || errors?.[0]?.message || code || String(error)
}

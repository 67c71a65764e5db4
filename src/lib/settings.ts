/** An invalid setting. The message names the setting and states how to fix it. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Parses the text of a setting. @throws {ConfigError} naming the setting */
type Parse<Value> = (text: string, name: string) => Value

/** One setting of the program. */
export interface Setting<Value> {
  parse: Parse<Value>
  /** One sentence for operators. */
  meaning: string
  /** The value that is used if the setting is absent or empty. */
  default?: string
  /** What the program does if the setting has neither a value nor a default. */
  unset?: string
  /** The whole value is a secret. */
  secret?: boolean
}

type Table = Readonly<Record<string, Setting<unknown>>>
type Values<T extends Table> = { [Name in keyof T]: T[Name] extends Setting<infer Value> ? Value : never }

/** A setting as `canvass config` prints it, without secrets. */
export interface PrintedSetting {
  name: string
  meaning: string
  source: 'environment' | 'file' | 'default'
  /** Null: there is no value. */
  value: string | null
  /** What applies without a value. */
  unset?: string
}

export interface InvalidSetting {
  name: string
  message: string
}

/** Describes a setting with a default. */
export const setting = <Value>(parse: Parse<Value>, fallback: string, meaning: string): Setting<Value> => ({
  parse,
  meaning,
  default: fallback,
})

/** Describes a setting without a default. @param unset what the program does without a value */
export const optional = <Value>(parse: Parse<Value>, unset: string, meaning: string): Setting<Value | undefined> => ({
  parse,
  meaning,
  unset,
})

/** Describes a setting whose value is a secret. @param example a command that creates a value */
export const secret = (minLength: number, example: string, unset: string, meaning: string) => ({
  ...optional(
    (text, name) => {
      if (text.length < minLength)
        throw new ConfigError(`${name} must have at least ${minLength} characters. Create one with: ${example}`)
      return text
    },
    unset,
    meaning,
  ),
  secret: true,
})

/**
 * Reads all settings of a table.
 * @returns the values and all errors; the value of an invalid setting is its default
 */
export function readSettings<T extends Table>(table: T, env: NodeJS.ProcessEnv): [Values<T>, InvalidSetting[]] {
  const invalid: InvalidSetting[] = []
  const values = Object.entries(table).map(([name, { parse, default: fallback }]) => {
    const parseOrUndefined = (text: string | undefined) => (text ? parse(text, name) : undefined)
    try {
      return [name, parseOrUndefined(env[name] || fallback)]
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      invalid.push({ name, message: error.message })
      return [name, parseOrUndefined(fallback)]
    }
  })
  return [Object.fromEntries(values), invalid]
}

/** Accepts any text. */
export const text: Parse<string> = (value) => value

/** Parses a whole number from 0 to a maximum. */
export const integer =
  (max: number): Parse<number> =>
  (value, name) => {
    const number = Number(value)
    if (!Number.isInteger(number) || number < 0 || number > max)
      throw new ConfigError(`${name} must be a whole number from 0 to ${max}, not "${value}".`)
    return number
  }

/** Parses a switch. */
export const flag: Parse<boolean> = (value, name) => {
  if (/^(1|true|yes|on)$/i.test(value)) return true
  if (/^(0|false|no|off)$/i.test(value)) return false
  throw new ConfigError(`${name} must be on or off, not "${value}".`)
}

/** Parses one of several words. */
export const oneOf =
  <Word extends string>(...words: readonly Word[]): Parse<Word> =>
  (value, name) => {
    const word = words.find((one) => one === value)
    if (!word) throw new ConfigError(`${name} must be one of ${words.join(', ')}, not "${value}".`)
    return word
  }

/** Parses a URL with one of the protocols, and removes slashes at its end. */
export const address =
  (...protocols: string[]): Parse<string> =>
  (value, name) => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol))
      throw new ConfigError(
        `${name} must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}, not "${withoutSecrets(value)}".`,
      )
    return value.replace(/\/+$/, '')
  }

/** Parses a list that is separated by commas or spaces. */
export const list =
  <Value>(parse: Parse<Value>): Parse<Value[]> =>
  (value, name) =>
    value
      .split(/[\s,]+/)
      .filter(Boolean)
      .map((item) => parse(item, name))

/** Replaces the passwords of URLs in a text. */
export const withoutSecrets = (value: string): string =>
  value.replace(/(\/\/[^/\s:@]*:)[^\s/]*(?=@)/g, '$1***').replace(/([?&][^=&\s]*password=)[^&\s]*/gi, '$1***')

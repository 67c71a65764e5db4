import { ArrayType, type Platform, type TransformContext } from '@mikro-orm/core'

/**
 * A `text[]` column. This type quotes every element. MikroORM quotes an element only if it contains quotation marks,
 * braces, commas or backslashes. Without quotes, PostgreSQL reads `null` as NULL, removes spaces around an element and
 * misinterprets JSON escapes ("Array Input and Output Syntax" in its manual).
 */
export class TextArray extends ArrayType<string> {
  override convertToDatabaseValue(
    value: string[] | null,
    platform: Platform,
    context?: TransformContext,
  ): string | null {
    if (!Array.isArray(value)) return super.convertToDatabaseValue(value, platform, context)
    return `{${value.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
  }
}

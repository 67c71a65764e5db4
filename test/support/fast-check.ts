import fc from 'fast-check'

// A fixed seed: a commit that has passed passes again. Set PROPERTY_SEED to another number to try other values.
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20261122) })

export default fc

/** The channel on which an export asks for a seal. */
export const WANTED_CHANNEL = 'shoeprint_seal_wanted';
/** The channel that says that a checkpoint was signed. The payload is its size. */
export const SEALED_CHANNEL = 'shoeprint_sealed';

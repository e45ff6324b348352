// Addresses at which clouds hand out credentials to whoever asks: no direct rule may reach one by accident.
// Data: metadata-services.json, from the clouds' own documentation; the probe tries the same list.
import { parseAddress } from './address';
import { addressBlock, type Cidr, type CutBlock, reaches } from './cidr';
import list from './metadata-services.json';

export interface MetadataAddress {
  readonly address: string;
  readonly service: string;
  readonly cidr: Cidr;
}

export const METADATA_ADDRESSES: readonly MetadataAddress[] = list.map(({ address, service }) => {
  const parsed = parseAddress(address);
  if ('problem' in parsed) throw new Error(`metadata-services.json: ${address}: ${parsed.problem}`);
  return { address, service, cidr: addressBlock(parsed) };
});

/**
 * The metadata addresses that a block lets through. An address is reached by a union of blocks exactly if one of them
 * reaches it, so each block of a seat can be asked alone: an `except` elsewhere takes nothing back.
 */
export const reachedMetadata = (block: CutBlock): readonly MetadataAddress[] =>
  METADATA_ADDRESSES.filter(({ cidr }) => reaches(block, cidr));

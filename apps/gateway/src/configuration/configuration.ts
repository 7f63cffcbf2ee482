import type { Report } from '#audit';
import type { BccReading } from '#devices';

/** A serial port. The other settings of the line are those of the device's protocol. */
interface SerialPort {
  /** The path of the device file. */
  readonly serial: string;
  readonly baud: number;
}
/** A TCP port at which the device connects to the gateway. */
interface ListeningPort {
  /** Address and port, such as `127.0.0.1:7301`. */
  readonly listen: string;
  /** Addresses and networks from which devices may connect. */
  readonly from?: readonly string[];
}
/** A TCP server, such as a device server, to which the gateway connects. */
interface ConnectingPort {
  /** Host and port. */
  readonly connect: string;
}
/** Where a device is connected. */
export type PortConfiguration = SerialPort | ListeningPort | ConnectingPort;

/** A shoe that sends the frames of `angel-eye-ii-ex`. */
interface AngelEyeDevice {
  readonly name: string;
  readonly protocol: 'angel-eye-ii-ex';
  readonly port: PortConfiguration;
  /** The sequence characters in their order, or `unknown`. */
  readonly sequence?: string;
  readonly bcc?: BccReading | 'learn';
  /** Whether its results announce pairs. */
  readonly pairs?: boolean;
}

/** A device that speaks line protocol 1. */
interface Line1Device {
  readonly name: string;
  readonly protocol: 'line-1';
  readonly port: PortConfiguration;
  /** The device cannot hear the gateway. */
  readonly listenOnly?: boolean;
}

/** A device of the table. Its source is `device/` and its name. */
export type DeviceConfiguration = AngelEyeDevice | Line1Device;

/** The configuration of a gateway: one table and its devices. */
export interface GatewayConfiguration {
  readonly table: string;
  readonly api: {
    readonly url: string;
    /** A file with the gateway's api key. */
    readonly keyFile: string;
    /** A file with the certificates that the api's certificate is checked against. */
    readonly ca?: string;
  };
  readonly spool: {
    readonly folder: string;
    readonly capMiB?: number;
    readonly keepDays?: number;
  };
  /** Who opens shoes, and what a `shoe-opened` says that no device knows. */
  readonly opens: {
    readonly when: 'line' | 'first-card';
    /** The rule document, `id@version`. */
    readonly rules: string;
    /** The decks of a shoe that the gateway opens. A device that opens shoes names its own. */
    readonly decks: number;
    readonly currency: string;
    readonly reports: readonly Report[];
  };
  /** Who opens coups: the gateway for a shoe that reports none, or a device itself. */
  readonly coups: 'shoe' | 'line';
  readonly devices: readonly DeviceConfiguration[];
  readonly health?: { readonly listen: string };
}

/** Returns the name under which the gateway itself reports, as `device/<name>`. */
export const gatewayName = (table: string): string => `${table}-gateway`;
